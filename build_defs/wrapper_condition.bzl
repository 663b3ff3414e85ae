"""Conditions of wrappers, for Bazel, which evaluates them itself: the expressions of a plugin's YAML have the operators of Starlark."""

# The words, texts in quotes and other characters of an expression.
def _tokens(text):
    tokens, is_quoted, is_word = [], False, False
    for c in text.elems():
        is_letter = c.isalnum() or c in "_."
        if is_quoted or (is_word and is_letter):
            tokens[-1] += c
        else:
            tokens.append(c)
        is_word = not is_quoted and is_letter
        if c == "\"":
            is_quoted = not is_quoted
    return tokens

# The arguments of "Net(3, dim=2)" as pairs of name and text; the name is "" where the text stands alone.
def _arguments(call):
    texts, depth = [""], 0
    for token in _tokens(call.partition("(")[2].rpartition(")")[0]):
        if token in ["(", "["]:
            depth += 1
        elif token in [")", "]"]:
            depth -= 1
        if token == "," and depth == 0:
            texts.append("")
        else:
            texts[-1] += token
    pairs = []
    for text in texts:
        name, _, value = text.partition("=")

        # "a == b" and "a >= b" stand alone.
        is_named = value and value[0] != "=" and name.strip().replace("_", "a").isalnum()
        pairs.append((name.strip(), value.strip()) if is_named else ("", text.strip()))
    return [pair for pair in pairs if pair[1]]

def _as_starlark(text):
    words = {"false": "False", "true": "True"}
    for token in _tokens(text):
        # Module types are the only names that are left.
        if (token[0].isalpha() or token[0] == "_") and token not in ["and", "else", "if", "not", "or", "false", "true"]:
            words[token] = "\"{}\"".format(token)

    # "/" leaves no remainder, and Starlark has no other division of integers than "//".
    return "".join([words.get(token, token) for token in _tokens(text)]).replace("//", "/").replace("/", "//")

def wrapper_condition(when, signature, call):
    """The condition of a wrapper as Starlark without names.

    Args:
      when: the condition, an expression over the root's arguments.
      signature: of the root, "Net(dim, has_normals=0)".
      call: the root of a variant, "Net(3)".
    """
    parameters = _arguments(signature)
    names = [name or alone for name, alone in parameters]
    values = dict(parameters)
    given = _arguments(call)
    for i in range(len(given)):
        name, value = given[i]
        values[name or names[i]] = value

    # A default has the names of earlier arguments alone.
    for name in reversed(names):
        when = "".join(["({})".format(values.get(name, "")) if token == name else token for token in _tokens(when)])
    return _as_starlark(when)
