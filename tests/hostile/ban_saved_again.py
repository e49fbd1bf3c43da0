# kind: ban
# exercise: saved_bytes
# how: as ban_source_again, of memory.saves
# deserves: 0
import re

import minigrad as mg

saves = mg.memory.saves
NAMES = dict(vars(saves))
exec(re.sub(r"^from minigrad.*$", "", open(saves.__file__).read(), flags=re.M), NAMES)


def saved_bytes(root):
    return NAMES["saved"](root).total
