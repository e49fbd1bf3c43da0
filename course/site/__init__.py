"""The course as a site: lessons and doors as pages that need no kernel, server or network."""
