# SPDX-License-Identifier: Apache-2.0
"""YAML in all its oddities, to be read as kubectl reads it.

Each case is a ConfigMap with a `spec` of its own, since kubectl reads objects alone. What it makes of each is in
kubectl.json, which record.py beside this file writes: null where it refuses.
"""

HEAD = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: oddity}\n"


def spec(text):
    return HEAD + b"spec:\n" + b"".join(b"  " + line + b"\n" for line in text.encode().split(b"\n"))


WORDS = ["yes", "Yes", "YES", "yEs", "no", "n", "y", "Y", "on", "Off", "OFF", "true", "True", "TRUE", "tRue", "false",
         "null", "Null", "NULL", "~", "none", "nil", "undefined", "=", "<<"]
NUMBERS = ["0", "-0", "+5", "-5", "010", "-010", "08", "0o17", "0O17", "0o8", "0x1F", "-0x1f", "0X1f", "0x", "0b101",
           "0b2", "0b", "1_000", "1__0", "1_", "_1", "0x_1f", "12345678901234567890", "123456789012345678901",
           "9223372036854775807", "-9223372036854775808", "-9223372036854775809", ".5", "5.", "-.5", "+.5", ".5e3",
           "1e3", "1E3", "1e+3", "1e-3", "1e", "1e400", "1.5.2", "1.0", "1.10", "1:30", "190:20:30", "2001-01-01",
           "2001-12-14t21:59:43.10-05:00", "+", "-x", ".", "..", ".e1", "0x1p-2", "1,000", "1 000", "0.1", "1e22"]

CASES = {
    "words": spec("".join(f"- {word}\n" for word in WORDS)),
    "words-quoted": spec("".join(f"- '{word}'\n- \"{word}\"\n" for word in WORDS)),
    "words-as-keys": spec("yes: 1\noff: 2\nTRUEly: 3\n'y': 4\nkey: 5"),
    "numbers": spec("".join(f"- {number}\n" for number in NUMBERS)),
    "numbers-as-keys": spec("010: a\n0x10: b\n1.10: c\n1e3: d\n-1: e\n1_0: f\n2001-01-01: g\n.5: h"),
    "infinity": spec("a: .inf"),
    "not-a-number": spec("a: .NaN"),
    "null-key": spec("~: a"),
    "tags": spec("- !!str 12\n- !!int '12'\n- !!float 3\n- !!bool 'yes'\n- !!null ''\n- !mine 12\n- ! 12\n"
                 "- !!str yes\n- !!binary aGk=\n- !!timestamp 2001-01-01\n- !<tag:yaml.org,2002:str> 12\n"
                 "- !!seq [a]\n- !!map {a: b}"),
    "tag-that-does-not-fit": spec("a: !!int x"),
    "anchors": spec("a: &x {p: 1, q: [2, yes]}\nb: *x\nc: [*x, &x 3, *x]\nd: *x"),
    "anchor-on-a-key": spec("&k key: &v value\nb: [*k, *v]\n*k : 1"),
    "anchor-unknown": spec("a: *x"),
    "anchor-in-itself": spec("a: &x [*x]"),
    "merge-key-replaces-what-is-above": spec("x: &x {p: 1, q: 2}\ny: {p: 0, <<: *x, q: 3}"),
    "merge-key-with-a-list": spec("x: &x {p: 1, r: 1}\ny: &y {p: 2, q: 2}\nz:\n  <<: [*x, *y]\n  q: 9"),
    "merge-key-of-a-mapping": spec("x: {<<: {p: 1}, q: 2}"),
    "merge-key-twice": spec("x: &x {p: 1}\ny: &y {p: 2}\nz:\n  <<: *x\n  <<: *y"),
    "merge-key-in-a-merged-one": spec("x: &x {p: 1}\ny: &y {<<: *x, q: 2}\nz: {<<: *y, r: 3}"),
    "merge-key-quoted": spec("x: &x {p: 1}\ny: {'<<': *x}"),
    "merge-key-of-a-scalar": spec("x: {<<: 1}"),
    "merge-key-of-an-alias-of-a-list": spec("x: &x [{p: 1}]\ny: {<<: *x}"),
    "key-twice": spec("a: 1\nb: 2\na: 3"),
    "key-twice-in-json": b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"oddity"},"spec":{"a":1,"a":2}}',
    "key-complex": spec("? [a]\n: b"),
    "key-with-a-question-mark": spec("? a\n: b\n? c\n"),
    "key-with-blanks": spec("a b : c\n'd e': f\n\"g\\th\" : i"),
    "block-scalars": spec("a: |\n  x\n   y\n\n  z\n\nb: |-\n  x\n\nc: |+\n  x\n\nd: >\n  x\n  y\n\n  z\n   w\n  v\n"
                          "e: |2\n    x\nf: >-\n\n  x\n"),
    "block-scalar-on-a-line-of-its-own": spec("a:\n  |\n  b\n   c"),
    "block-scalar-of-blanks": spec("a: |1\n     \nb: c"),
    "block-scalar-empty": spec("a: |\nb: c"),
    "block-scalar-at-the-end": HEAD + b"spec: |\n",
    "block-scalar-kept-at-the-end": HEAD + b"spec: |+\n  x\n\n\n",
    "block-scalar-without-a-line-end": HEAD + b"spec: |\n  x",
    "block-scalar-with-dashes": spec("a: |\n  ---\n  b\nc: d"),
    "block-scalar-with-tabs": spec("a: |\n  \tx\n  y\t"),
    "quoted": spec("a: 'it''s'\nb: \"a\\tb\\x41\\u00e9\\U0001F600\\\"\\\\\"\nc: \"a\n  b\n\n  c\"\nd: 'a\n  b'\n"
                   "e: \"a \\\n  b\"\nf: \"\\e\\_\\N\""),
    "quoted-slash": spec('a: "\\/"'),
    "quoted-nul": spec('a: "\\0"'),
    "quoted-escape-unknown": spec('a: "\\q"'),
    "plain": spec("a: b c\n  d\nb: a#b\nc: a #b\nd: http://a:80/?x=[y]\ne: a:b\nf: -a\ng: ?a\nh: $(A)\nj: a, b"
                  "\nk: x\n\n  y"),
    "plain-that-can-not-begin-so": spec("a: @x"),
    "plain-with-a-colon": spec("a: b: c"),
    "flow": spec("a: [1, 'b', [c], {d: e}, f: g]\nb: {h: i, j: [k], \"l\":m, n}\nc: []\nd: {}\ne: [a,\n  b,]\n"
                 "f: {a:\n  b}"),
    "flow-indented-less": HEAD + b"spec:\n  a: [\n  b,\n c\n  ]\n",
    "flow-open": spec("a: [b"),
    "json": b'{\n\t"apiVersion": "v1", "kind": "ConfigMap",\n\t"metadata": {"name": "oddity"},\n'
            b'\t"spec": {"a": "\\ud83d\\ude00\\/\\u00e9", "b": [1, 2.5e3, true, null], "c": "yes"}\n}\n',
    "nothing": spec("a:\nb: \nc: ''\nd:\n  - \n  -\n  - e"),
    "nothing-in-a-list-not-indented": spec("a:\n- b\n-\n"),
    "list-not-indented": HEAD + b"spec:\n- a\n- b\n",
    "list-of-lists": spec("- - a\n  - b\n-\n  - c\n- d: e\n  f: g"),
    "comments": b"# first\n" + spec("a: b # c\n# d\n\n   # e\nf: 'g' # h\ni: |\n  # j\nk: #l\n  m"),
    "carriage-returns": spec("a: b\nc: |\n  d\n  e\nf: \"g\n  h\"").replace(b"\n", b"\r\n"),
    "byte-order-mark": b"\xef\xbb\xbf" + spec("a: b"),
    "byte-order-mark-before-a-separator": b"\xef\xbb\xbf---\n" + spec("a: b"),
    "not-ascii": spec("a: \u00e9\u4e2d\U0001F600\n\u00fc: 'x'"),
    "not-utf-8": HEAD + b"spec: {a: \xff}\n",
    "utf-8-cut": HEAD + b"spec: {a: b} # \xc3",
    "control-character": HEAD + b"spec: {a: '\x01'}\n",
    "nul": HEAD + b"spec: {a: '\x00'}\n",
    "delete": HEAD + b"spec: {a: '\x7f'}\n",
    "tab-as-indentation": HEAD + b"spec:\n\ta: b\n",
    "tab-in-an-empty-line": HEAD + b"spec:\n  a: {}\n\t\n  c: d\n",
    "tab-behind-a-dash": HEAD + b"spec:\n- \ta: b\n",
    "tabs-in-brackets": HEAD + b"spec: [a,\n\tb,\t\n\t]\n",
    "tabs-between": HEAD + b"spec:\n  a:\tb\n  c: \td\t# e\n",
    "indented-wrongly": HEAD + b"spec:\n  a: b\n c: d\n",
    "value-not-indented": HEAD + b"spec:\n\nvalue\n",
    "documents": b"---\n" + spec("a: b") + b"--- # more\n# nothing here\n---\n\n---\n" + spec("c: d") + b"---\n",
    "document-ended": spec("a: b") + b"...\n",
    "document-with-text-behind-the-separator": b"--- " + spec("a: b"),
    "document-with-a-directive": b"%YAML 1.1\n---\n" + spec("a: b"),
    "list-kind": b"apiVersion: v1\nkind: List\nitems:\n- " + HEAD.replace(b"\n", b"\n  ") + b"spec: {a: b}\n",
    "deep": HEAD + b"spec: " + b"[" * 200 + b"]" * 200 + b"\n",
    "deep-in-lines": HEAD + b"spec:\n" + b"".join(b" " * depth + b" a:\n" for depth in range(200)),
    "wide": spec("".join(f"k{number}: {number}\n" for number in range(2000))),
    "long": spec("a: " + "x" * 100000),
    "laughs": spec("a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{name}: &{name} [{','.join(['*' + before] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi"))),
}

# Where kubectl reads on and we refuse, and the other way round; and why.
STRICTER = {
    "quoted-nul": "no string of the API holds it, and C ends at it",
    "not-utf-8": "kubectl puts U+FFFD there, and the API server would be told something else than the file",
    "utf-8-cut": "likewise",
    "block-scalar-on-a-line-of-its-own": spec("a:\n  |\n  b\n   c"),
    "block-scalar-of-blanks": spec("a: |1\n     \nb: c"),
    "block-scalar-empty": "libfyaml would take what follows for its text",
    "block-scalar-on-a-line-of-its-own": "libfyaml would lose its end",
    "block-scalar-of-blanks": "libfyaml would add a NUL",
    "nothing-in-a-list-not-indented": "libfyaml refuses it",
}
LAXER = {
    "quoted-slash": "JSON escapes it, and JSON is read as YAML",
    "block-scalar-with-tabs": "libfyaml takes the tab for text",
}
