# SPDX-License-Identifier: Apache-2.0
"""The documentation as data: its pages, their sections, links, and the commands that they show."""

import re
import urllib.parse

from conftest import ROOT

# Name -> text, the name as a link from the top would write it.
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text()
         for path in [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md"))]}
ALL = "\n".join(PAGES.values())


def _lines(text):
    """(line, whether it belongs to a block of code) of each line."""
    fenced = False
    for line in text.splitlines(keepends=True):
        fence = line.startswith("```")
        yield line, fenced or fence
        fenced ^= fence


def _heading(line):
    """(level, title), or None."""
    match = re.match(r"(#+) (.*)", line)
    return match and (len(match[1]), match[2].strip())


def headings(page):
    found = [_heading(line) for line, code in _lines(PAGES[page]) if not code]
    return [heading for heading in found if heading]


def section(page, title):
    """The text of a section, the ones below it included."""
    level, text = None, ""
    for line, code in _lines(PAGES[page]):
        heading = None if code else _heading(line)
        if level and heading and heading[0] <= level:
            break
        if level:
            text += line
        elif heading and heading[1] == title:
            level = heading[0]
    assert text.strip(), f"{page} has no section {title!r}"
    return text


def anchors(page):
    """What a link may name after '#': the headings as GitHub names them."""
    names = []
    for _, title in headings(page):
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        names.append(f"{slug}-{seen}" if (seen := names.count(slug)) else slug)
    return set(names)


def links(page):
    """The targets of all links and pictures but those to other sites."""
    prose = "".join(line for line, code in _lines(PAGES[page]) if not code)
    targets = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(`+).*?\1", "", prose, flags=re.DOTALL))
    return [target for target in targets if not urllib.parse.urlsplit(target).scheme]


def commands_below(title):
    """The one block of commands in the section of this title, wherever it is."""
    (page,) = [page for page in PAGES if title in [name for _, name in headings(page)]]
    (block,) = re.findall(r"^```sh\n(.*?)^```", section(page, title), re.MULTILINE | re.DOTALL)
    return block
