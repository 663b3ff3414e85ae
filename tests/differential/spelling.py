"""How Modelport spells the keys of dictionaries."""

# common/text/printable.cc
HIDDEN = [(0x80, 0x9f), (0xad, 0xad), (0x61c, 0x61c), (0x180e, 0x180e), (0x200b, 0x200f), (0x2028, 0x202e),
          (0x2060, 0x206f), (0xfeff, 0xfeff), (0xfff9, 0xfffb), (0xe0000, 0xe007f)]

LINE_ENDS_AND_TABS = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text):
    """`text` as Printable() of common/text writes it."""
    out = []
    for character in text:
        code = ord(character)
        if character in LINE_ENDS_AND_TABS:
            out.append(LINE_ENDS_AND_TABS[character])
        elif code < 0x20 or code == 0x7f or 0xd800 <= code < 0xe000:
            out += [f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass")]
        elif any(first <= code <= last for first, last in HIDDEN):
            out.append(f"\\u{{{code:x}}}")
        else:
            out.append(character)
    return "".join(out)


def key_name(key, index):
    """The name of an entry of a dictionary, the `index`-th."""
    if isinstance(key, str):
        return printable(key)
    if isinstance(key, (bool, int)):
        return str(key)
    kind = {type(None): "None", tuple: "a tuple"}.get(type(key), "a plain value")
    return f"<{kind}, key {index}>"
