"""Record all runs: python -m course.torch_runs"""

import json

from course.torch_runs import PATH
from course.torch_runs.runs import everything

PATH.write_text(json.dumps(everything(), indent=1) + "\n", encoding="utf-8")
print(f"recorded: {PATH}")
