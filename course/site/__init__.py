"""The course as a site: lessons and doors as pages that need no kernel, no server and no network."""
