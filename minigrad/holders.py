def holders(t):
    raise NotImplementedError
