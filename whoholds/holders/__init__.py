"""Who holds a tensor, in words: arrows first, then what names lead to, then all of Python."""
