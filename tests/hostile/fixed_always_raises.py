# kind: fixed
# exercise: all_or_nothing
# how: does nothing but raise the text that a second backward has
# needs: "an error, and nothing changed" earns without a drawn value
def all_or_nothing(loss, leaves):
    raise RuntimeError("Trying to backward through the graph a second time")
