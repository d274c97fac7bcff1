# SPDX-License-Identifier: Apache-2.0
"""The documentation says what the code says: settings, annotations, messages, rights, metrics, versions, targets."""

import json
import re
import shlex
import subprocess

import pytest
import yaml
from conftest import ROOT, pinned
from documentation import ALL, PAGES, anchors, commands_below, links, section

README = PAGES["README.md"]
README_LINES_MAX = 150  # it is the door, and docs/ the rooms
MESSAGES = "".join(path.read_text() for path in (ROOT / "include").rglob("messages.h"))
SOURCES = "".join(path.read_text() for path in sorted((ROOT / "src").rglob("*.c")))


def macros(text):
    """The string macros of a header: name -> text, with the parts of a literal joined and other macros put in."""
    found = {}
    for name, body in re.findall(r"^#define (\w+)((?:[^\n]*\\\n)*[^\n]*)", text, re.MULTILINE):
        words = re.findall(r'"((?:[^"\\]|\\.)*)"|\b([A-Z][A-Z_]+)\b', body.replace("\\\n", " "))
        joined = "".join(literal if not macro else found.get(macro, "") for literal, macro in words)
        if joined:
            found[name] = joined.replace('\\"', '"')
    return found


def fragment(text):
    """What of a message can be looked for: the longest part between two values, at most 60 characters of it."""
    parts = [part.strip(" :,;()") for part in re.split(r"%[-0-9.*z]*[a-z]", text)]
    return max(parts, key=len)[:60].strip()


DENIALS = {name: text for name, text in macros(MESSAGES).items() if name.startswith(("DENY_", "MESSAGE_GROUP_"))}
WAITING = {name: text for name, text in macros(MESSAGES).items() if name.startswith("WAIT_")}
WARNINGS = {name: text for name, text in macros(MESSAGES).items() if name.startswith("WARN_")}
EVENTS = {name: text for name, text in macros(MESSAGES).items() if name.startswith("EVENT_")}
REASONS = set(re.findall(r'"((?:Group|Service)[A-Z][A-Za-z]+)"', SOURCES))

# Codename -> the release's number, and its Python, with which TensorFlow runs here.
DEBIAN = {"bookworm": ("12", "3.11")}


@pytest.mark.parametrize("name", sorted(DENIALS))
def test_each_denial_is_explained(name):
    assert len(DENIALS) > 40
    assert fragment(DENIALS[name]) in section("docs/messages.md", "Denials"), DENIALS[name]


@pytest.mark.parametrize("name", sorted(WAITING))
def test_each_line_of_a_pod_that_waits_is_explained(name):
    assert len(WAITING) == 7
    assert fragment(WAITING[name]) in section("docs/messages.md", "Pods that wait"), WAITING[name]


@pytest.mark.parametrize("name", sorted(WARNINGS))
def test_each_warning_is_explained(name):
    assert len(WARNINGS) > 15
    assert fragment(WARNINGS[name]) in section("docs/messages.md", "Warnings"), WARNINGS[name]


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_each_event_is_explained(name):
    assert len(EVENTS) > 4
    assert fragment(EVENTS[name]) in section("docs/messages.md", "Events"), EVENTS[name]


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_each_reason_of_an_event_is_explained(reason):
    assert len(REASONS) == 4
    assert f"\n| `{reason}` | " in section("docs/messages.md", "Events")


def rows(page, title):
    """The first cells of a table, which quote the program."""
    found = re.findall(r"^\| (`.*?`) \|.*\|$", section(page, title), re.MULTILINE)
    assert len(found) > 5
    return [text for cell in found for text in re.findall("`(.*?)`", cell)]


@pytest.mark.parametrize("row", rows("docs/messages.md", "Warnings"))
def test_each_row_is_a_warning_of_the_program(row):
    """None that it does not give any more: `…` is a value."""
    parts = [part for part in row.split("…") if part]
    assert any(all(part in text for part in parts) for text in WARNINGS.values())


@pytest.mark.parametrize("row", rows("docs/operations.md", "When it does not become ready"))
def test_each_row_is_a_reason_of_the_program_not_to_be_ready(row):
    assert f'"{row}"' in SOURCES


def test_every_metric_is_in_the_table_and_no_other():
    names = re.findall(r'add_(?:value|head)\(page,\s*"([a-z_]+)"', SOURCES)
    assert len(names) > 25
    assert sorted(rows("docs/operations.md", "Probes and metrics")) == sorted(names)


def test_the_metrics_that_are_named_elsewhere_exist():
    for name in re.findall(r"`tfconfig_webhook_([a-z_]+)`", ALL):
        assert not name.strip("_") or f'"{name}"' in SOURCES, name


def test_the_warnings_that_are_shown_in_full_are_the_program_s():
    shown = re.findall(r"^Warning: (.*)", ALL, re.MULTILINE)
    assert shown
    for warning in shown:
        assert any(re.fullmatch(re.sub("%[su]", "(.+)", re.escape(text)), warning) for text in WARNINGS.values())


def test_the_denials_that_are_shown_in_full_are_those_of_the_data_cases():
    shown = re.findall(r"denied the request: (.*)", section("docs/messages.md", "Denials"))
    expected = "".join(path.read_text() for path in (ROOT / "tests" / "cases").glob("*/*/expected.json"))
    assert len(shown) == 2
    for denial in shown:
        assert json.dumps(denial) in expected, denial


def test_the_settings_table_is_the_one_that_the_program_prints(program):
    printed = subprocess.run([program, "serve", "--help=markdown"], capture_output=True, text=True, check=True).stdout
    assert printed.startswith("| flag |")
    begin = "<!-- settings: the output of `tfconfig-webhook serve --help=markdown` -->"
    assert f"{begin}\n{printed}<!-- /settings -->\n" in PAGES["docs/settings.md"]


def test_what_render_prints_is_what_the_program_prints(program):
    """Each command that is shown, with the output below it."""
    shown = PAGES["docs/render.md"].partition("<!-- render -->\n```\n")[2].partition("```\n<!-- /render -->")[0]
    parts = re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]
    assert len(parts) == 2
    for part in parts:
        command, _, output = part.partition("\n")
        name, *arguments = shlex.split(command)
        done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=ROOT)
        assert name == "tfconfig-webhook"
        assert (done.returncode, done.stdout, done.stderr) == (0, output, "")


def test_the_largest_groups_are_those_of_the_program(program):
    sample = (ROOT / "manifests" / "samples" / "worker" / "trainer.yaml").read_text()
    limits = section("README.md", "Limits")
    for address in ("fqdn", "short"):
        manifest = re.sub("replicas: .*", "replicas: 99999", sample).replace(
            "annotations:\n", f"annotations:\n    tfconfig.dev/address: {address}\n", 1)
        said = subprocess.run([program, "render", "-f", "-", "-n", "ml", "--cluster-domain", "cluster.local"],
                              input=manifest, capture_output=True, text=True).stdout
        bytes_, pods = re.search("Linux takes at most ([0-9]+): the largest group .* has ([0-9]+) pods", said).groups()
        assert f"{int(bytes_):,} bytes" in limits and f"{int(pods):,} " in re.sub(r"\s+", " ", limits)


def test_every_annotation_is_in_the_table_and_no_other():
    known = re.findall(r'\{"([a-z-]+)", read_\w+\}', SOURCES)
    assert len(known) == 10
    table = re.findall(r"^\| `tfconfig\.dev/([a-z-]+)` \|", PAGES["docs/annotations.md"], re.MULTILINE)
    assert sorted(table) == sorted(known)


def test_every_overlay_is_in_the_table():
    named = re.findall(r"^\| \[([a-z-]+)\]\(\.\./manifests/overlays/\1/kustomization\.yaml\) \|",
                       section("docs/install.md", "Overlays"), re.MULTILINE)
    assert sorted(named) == sorted(path.name for path in (ROOT / "manifests" / "overlays").iterdir())


def rules_of_the_manifests():
    """(kind and name of the role, the object or the resource, verbs) of each rule."""
    for path in (ROOT / "manifests").rglob("rights.yaml"):
        for role in yaml.safe_load_all(path.read_text()):
            for rule in role.get("rules", []):
                for what in rule.get("resourceNames") or rule["resources"]:
                    yield f"{role['kind']} {role['metadata']['name']}", what, rule["verbs"]


def test_the_rights_are_those_of_the_manifests():
    rights, last = [], None
    for role, what, verbs in re.findall(r"^\| (?!role)(.*?) ?\| (.*?) \| ((?:\w+(?:, )?)+) \|",
                                        section("docs/operations.md", "Rights"), re.MULTILINE):
        last = role.replace("`", "") or last
        rights.append((last, re.sub(".*`(.*)`", r"\1", what), verbs.split(", ")))
    assert len(rights) == 5
    assert sorted(rights) == sorted(rules_of_the_manifests())


def test_the_floors_are_those_that_lint_checks():
    (checked,) = re.findall(r"^floors='\n(.*?)^'", (ROOT / "tools" / "check-includes").read_text(), re.M | re.S)
    floors = {folder: may.split() for folder, may in re.findall(r"^(\w+): *(.*)$", checked, re.MULTILINE)}
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", section("CONTRIBUTING.md", "Where things are"), re.MULTILINE)
    assert len(rows) == len(floors) == len(list((ROOT / "src").glob("*/")))
    for folder, may in rows:
        told = {"everything below": set(floors) - {folder}, "nothing of ours": set()}.get(may, set(may.split(", ")))
        assert told == set(floors[folder]), folder


def test_every_command_of_the_program_is_named(program):
    usage = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    for command in re.findall(r"^  (\w+) ", usage, re.MULTILINE):
        assert f"`tfconfig-webhook {command}" in PAGES["docs/settings.md"], command


def test_the_targets_of_make_that_are_named_exist():
    def named_in(text):
        return {"".join(pair) for pair in re.findall(r"^make ([a-z-]+)|`(?:sudo )?make ([a-z-]+)`", text, re.MULTILINE)}

    makefile = (ROOT / "Makefile").read_text()
    assert {"demo", "test", "demo-cluster"} <= named_in(README)
    for target in named_in(ALL):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_version_is_the_same_everywhere(program):
    version = re.search(r'"(.*)"', (ROOT / "include" / "version.h").read_text())[1]
    printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert printed == f"tfconfig-webhook {version}\n"
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"newTag: {version}" in (ROOT / "manifests" / "base" / "kustomization.yaml").read_text()


def test_the_changelog_names_the_commit_of_each_version():
    """As far as this clone reaches back."""
    def git(*arguments):
        done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT)
        return done.stdout if done.returncode == 0 else pytest.skip(f"git {arguments[0]}: {done.stderr.strip()}")

    released = re.findall(r"^## ([0-9.]+) - ([0-9-]+)\n.*?\bcommit `([0-9a-f]+)`", PAGES["CHANGELOG.md"],
                          re.MULTILINE | re.DOTALL)
    assert released
    for version, date, commit in released:
        assert git("log", "-1", "--format=%cs", commit).strip() == date
        assert f'"{version}"' in git("show", f"{commit}:include/version.h")


def test_the_versions_tested_with_are_the_pinned_ones():
    def module(name, folder):
        return pinned(name, folder).removeprefix("v")

    packages = (ROOT / "tests" / "tensorflow" / "requirements.txt").read_text()
    (codename,) = re.findall(r"^FROM debian:(\w+)-slim ", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    release, python = DEBIAN[codename]
    main, newer = module("k8s.io/kubernetes", "kubernetes"), module("k8s.io/kubernetes", "kubernetes-next")
    assert re.findall(r"^\| ([\w ]+) \| (.*) \|$", section("docs/install.md", "Tested versions"), re.MULTILINE) == [
        ("Kubernetes", f"{main}; what concerns its API also on {newer}"),
        ("etcd", module("go.etcd.io/etcd/server/v3", "etcd")),
        ("CoreDNS", module("github.com/coredns/coredns", "coredns")),
        ("TensorFlow", re.search(r"^tensorflow-cpu==(.*)$", packages, re.MULTILINE)[1]),
        ("tf_keras", re.search(r"^tf_keras==(.*)$", packages, re.MULTILINE)[1]),
        ("Python", python),
        ("Debian", release),
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_leads_somewhere(page):
    """To a file or folder, and where it is one of the pages, to a heading of it."""
    for target in links(page):
        path, _, anchor = target.partition("#")
        there = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        assert there.exists() and there.is_relative_to(ROOT), target
        if anchor:
            assert anchor in anchors(there.relative_to(ROOT).as_posix()), target


def test_the_readme_is_short_and_links_to_every_page():
    assert README.count("\n") <= README_LINES_MAX
    assert {page for page in PAGES if page != "README.md"} <= {link.partition("#")[0] for link in links("README.md")}


def test_the_commands_that_end_to_end_tests_run_from_the_pages_are_there():
    titles = re.findall(r'run_documented\(\s*[^,]+,\s*"([^"]+)"',
                        "".join(path.read_text() for path in (ROOT / "tests" / "e2e").glob("test_*.py")))
    assert len(titles) == 3
    for title in titles:
        assert "kubectl " in commands_below(title), title


def test_it_stays_at_the_named_licence():
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    assert "Apache-2.0" in README
