"""`attempt` calls something and says in a few words how that ended.

Knows no engine: both raise a RuntimeError where a backward cannot run.
"""

PREAMBLE = "modified by an inplace operation: "  # of the error about a changed saved tensor
REMEDIES = ". Hint", " ("  # where advice begins that is the same each time


def attempt(call, **options):
    """ "passes", or what the message of the RuntimeError says about this one case."""
    try:
        call(**options)
    except RuntimeError as error:
        return what_matters(str(error))
    return "passes"


def what_matters(message):
    """The message without its preamble and its remedies."""
    said = message.split(PREAMBLE)[-1]
    for remedy in REMEDIES:
        said = said.split(remedy)[0]
    return said
