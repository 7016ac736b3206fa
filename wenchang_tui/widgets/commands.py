"""The one list of commands: what each is called, what it does, its keys, where it applies and what it needs.

Bindings, footer, palette, help and the key table of the README are all made from it. It knows no screen: a screen
carries out the actions, and says through `met_needs` which needs are met here and now.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding


class Where(StrEnum):
    """Where a command applies; the value is the heading in the help."""

    APP = "Everywhere"
    WELCOME = "At the beginning"
    BROWSE = "Browse"
    INDEX = "Index"
    FLAT = "File memory"
    FLAT_EDIT = "While editing a file"
    EDIT = "Edit"
    WRITING = "While writing"
    MERGE = "While merging"
    AGENT = "Agent"
    SESSION = "In a saved session"
    PLAY = "While playing"
    GATE = "When a change waits"
    CONNECT = "While connecting a client"
    HEALTH = "Health"
    REPAIR = "While repairing"
    OPERATE = "Operate"
    VERSIONS = "In the versions of a file"
    TREE = "In the tree"
    LIST = "In a list"
    TEXT = "In a text"
    TYPING = "While typing a filter"
    PAYLOAD = "In the payload"
    COPY = "While copying"
    DIALOG = "In a dialog"


class Need(StrEnum):
    """What must be so before a command can run; the value says why it cannot."""

    NOT_TYPING = "a text is being typed"
    STORE = "nothing is open"
    FILE = "no file is selected"
    ROWS = "the list is empty"
    BACK = "there is no earlier place"
    FORWARD = "there is no later place"
    UP = "this is the top"
    WHAT_IF = "nothing was changed in the what-if"
    HITS = "no search result is shown"
    WORK = "nothing is running"
    ENTRY = "no index entry is selected"
    MORE = "everything is loaded"
    CALL = "no call is selected"
    CHANGED = "the call changed no file"
    WRITABLE = "the memory was opened read-only"
    CONFLICT = "nobody else changed the file"
    VERSIONS = "no former versions are kept here"
    PAST = "no former version is selected"
    FINDING = "no finding is selected"
    UNDO = "nothing was changed that could be undone"
    ENTITY = "no entity is selected"
    RECEIPT = "no receipt is shown"
    IDLE = "something is running"
    OPEN = "no file is being edited"
    EDITABLE = "the file may not be changed here"
    STORED = "the file is not stored yet"
    TYPED = "there is nothing that is not saved"
    SETTLED = "a difference waits for a choice"
    READABLE = "the file cannot be read, and 5 offers its repair"


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a person can do. `action` is what Textual runs; the first of `keys` is the one shown.

    `first` marks a key that must be seen before the focused widget sees it, so that what is typed right after it
    already goes to where it moved the focus.
    """

    name: str
    help: str
    action: str
    where: Where
    keys: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    footer: bool = False
    palette: bool = True
    first: bool = False

    @property
    def id(self) -> str:
        """What tells its binding from that of another place, whose key and words may be the same."""
        return f"{self.where}.{self.action}"


def _move(name: str, text: str, action: str, where: Where, *keys: str) -> Command:
    return Command(name, text, action, where, keys, palette=False)


_IDLE = (Need.NOT_TYPING,)


def _on_calls(where: Where, these: str) -> tuple[Command, ...]:
    """What can be done wherever calls are listed; `these` names them. Each place has its own words for the same."""
    return (
        Command("Filter", f"Narrow {these} by client, tool, file or outcome", "filter", where, ("slash",), _IDLE,
                footer=where is not Where.PLAY, first=True),
        Command("Search", f"Search arguments, answers and files of {these}", "search", where, ("s",), _IDLE,
                first=True),
        Command("Copy", "Copy the call as JSON", "copy", where, ("c",), (Need.CALL,)),
        Command("JSON", "Show exactly the answer that the client got", "answer", where, ("J", "shift+j"), (Need.CALL,)),
        Command("Reverse", "Put the newest call first, or last", "turn_around", where, ("O", "shift+o")),
        Command("Newest", "Go to the newest call, and on with each that comes", "follow", where, ("f",), (Need.CALL,)),
        Command("Larger", "Give the pane in focus more room", "zoom(1)", where, ("plus",)),
        Command("Smaller", "Give the pane in focus less room", "zoom(-1)", where, ("underscore", "minus")),
        Command("Step back", f"Close what is open, or leave {these}", "step_back", where, ("escape",), palette=False,
                footer=where is not Where.AGENT),
    )  # fmt: skip


COMMANDS: tuple[Command, ...] = (
    Command("Browse", "See what is in the store", "app.go('browse')", Where.APP, ("1",), (Need.STORE,)),
    Command("Index", "See what the agent gets at the start", "app.go('index')", Where.APP, ("2",), (Need.STORE,)),
    Command("Edit", "Curate what agents are told", "app.go('edit')", Where.APP, ("3",), (Need.STORE,)),
    Command("Agent", "Watch agents work, and let them in", "app.go('agent')", Where.APP, ("4",), (Need.STORE,)),
    Command("Health", "See what is wrong in the store, and repair it", "app.go('health')", Where.APP, ("5",),
            (Need.STORE,)),
    Command("Operate", "Hand over or erase an entity", "app.go('operate')", Where.APP, ("6",), (Need.STORE,)),
    Command("Waiting", "Approve or refuse the change that waits", "app.answer_waiting", Where.APP, ("ctrl+g",),
            (Need.STORE,)),
    Command("Help", "List what works here and now", "app.help", Where.APP, ("question_mark", "f1"), footer=True),
    Command("Palette", "Find any command by its name", "app.command_palette", Where.APP, ("ctrl+p", "colon"),
            palette=False),
    Command("Quit", "Leave wenchang", "app.quit", Where.APP, ("q", "ctrl+q"), footer=True),
    Command("The demo", "Look at the memory behind a novel", "demo(False)", Where.WELCOME, ("d",), palette=False),
    Command("A file memory", "Look at the demo of a file memory", "demo(True)", Where.WELCOME, ("m",), palette=False),
    Command("A place", "Open a folder, a bucket or a file memory", "folder", Where.WELCOME, ("f", "slash"),
            palette=False),
    Command("Theme", "Change the colours", "app.change_theme", Where.APP),
    Command("Screenshot", "Save a picture of the screen as SVG", "app.screenshot", Where.APP),
    Command("Next pane", "Go to the next pane", "app.focus_next", Where.APP, ("tab",), palette=False),
    Command("Previous pane", "Go to the pane before", "app.focus_previous", Where.APP, ("shift+tab",), palette=False),
    Command("Filter", "Narrow the list by name, description or alias as you type", "filter", Where.BROWSE, ("slash",),
            _IDLE, footer=True, first=True),
    Command("Search", "Search the bodies below the selection", "search(False)", Where.BROWSE, ("s",), _IDLE,
            footer=True, first=True),
    Command("Search all", "Search the bodies of the whole store", "search(True)", Where.BROWSE, ("S", "shift+s"),
            _IDLE, first=True),
    Command("Next", "Go to the next search result", "hit(1)", Where.BROWSE, ("n",), (Need.HITS,)),
    Command("Previous", "Go to the search result before", "hit(-1)", Where.BROWSE, ("N", "shift+n"), (Need.HITS,)),
    Command("Sort", "Sort by the next column", "sort_next", Where.BROWSE, ("o",), footer=True),
    Command("Reverse", "Turn the order around", "sort_reverse", Where.BROWSE, ("O", "shift+o")),
    Command("Copy", "Copy body, path, version or JSON", "copy", Where.BROWSE, ("c",), (Need.FILE,), footer=True),
    Command("Edit", "Edit the file under the cursor", "edit", Where.BROWSE, ("e",), (Need.FILE, Need.READABLE),
            footer=True),
    Command("New", "Make a file here", "new", Where.BROWSE, ("ctrl+n",), (Need.WRITABLE,)),
    Command("Delete", "Delete the file under the cursor", "delete", Where.BROWSE, ("D", "shift+d"),
            (Need.FILE, Need.WRITABLE)),
    Command("As agent", "Show the file or area as the agent sees it", "as_agent", Where.BROWSE, ("a", "f3"),
            (Need.FILE,)),
    Command("Versions", "Show former versions of the file, and put one back", "versions", Where.BROWSE, ("v",),
            (Need.VERSIONS,)),
    Command("Back", "Go back to the place before", "back", Where.BROWSE, ("left_square_bracket",), (Need.BACK,)),
    Command("Forward", "Go forward again", "forward", Where.BROWSE, ("right_square_bracket",), (Need.FORWARD,)),
    Command("Parent", "Go to the place above", "up", Where.BROWSE, ("backspace",), (Need.UP,)),
    Command("Larger", "Give the focused pane more room", "zoom(1)", Where.BROWSE, ("plus",), footer=True),
    Command("Smaller", "Give the focused pane less room", "zoom(-1)", Where.BROWSE, ("underscore", "minus")),
    Command("Load more", "Load more of a long listing", "load_more", Where.BROWSE, ("m",), (Need.MORE,)),
    Command("Reload", "Read the selection anew", "reload", Where.BROWSE, ("f5",)),
    Command("Step back", "Cancel, clear, or close what is open", "step_back", Where.BROWSE, ("escape",), palette=False),
    Command("Limit", "Try another index limit", "edit('limit')", Where.INDEX, ("L", "shift+l"), _IDLE, footer=True,
            first=True),
    Command("Priority", "Try another scope priority", "edit('priority')", Where.INDEX, ("P", "shift+p"), _IDLE,
            footer=True, first=True),
    Command("Identity", "Try another identity", "edit('identity')", Where.INDEX, ("I", "shift+i"), _IDLE, footer=True,
            first=True),
    Command("Take back", "Drop the what-if and show what is served", "reset", Where.INDEX, ("u",), (Need.WHAT_IF,),
            footer=True),
    Command("JSON", "Show exactly the JSON that the agent receives", "payload", Where.INDEX, ("J", "shift+j"),
            footer=True),
    Command("To Browse", "Open the entry in Browse", "open_entry", Where.INDEX, ("b",), (Need.ENTRY,), footer=True),
    Command("To the cut", "Go to the line where the cut falls", "to_cut", Where.INDEX, ("z",), (Need.ROWS,)),
    Command("Reload", "Collect the entries anew", "reload", Where.INDEX, ("f5",)),
    Command("Step back", "Cancel, or leave the what-if fields", "step_back", Where.INDEX, ("escape",), palette=False),
    Command("Filter", "Narrow the list by name or description as you type", "filter", Where.FLAT, ("slash",),
            _IDLE, footer=True, first=True),
    Command("Search", "Search the files as agents do, by pattern and by name", "search", Where.FLAT, ("s",), _IDLE,
            footer=True, first=True),
    Command("Edit", "Edit the text and the description", "edit", Where.FLAT, ("e",), (Need.FILE, Need.WRITABLE),
            footer=True),
    Command("As agent", "Show the index as an agent gets it, or the file again", "index", Where.FLAT, ("a", "f3"),
            footer=True),
    Command("Sort", "Sort the files by the next column", "sort_next", Where.FLAT, ("o",)),
    Command("Reverse", "Turn the order around", "sort_reverse", Where.FLAT, ("O", "shift+o")),
    Command("Copy", "Copy body, path, version or JSON", "copy", Where.FLAT, ("c",), (Need.FILE,), footer=True),
    Command("Delete", "Delete the file and its description", "delete", Where.FLAT, ("D", "shift+d", "delete"),
            (Need.FILE, Need.WRITABLE), footer=True),
    Command("Rebuild index", "Write the index anew from what is there", "rebuild", Where.FLAT, ("B", "shift+b"),
            (Need.WRITABLE,)),
    Command("Larger", "Give the pane more room", "zoom(1)", Where.FLAT, ("plus",)),
    Command("Smaller", "Give the focused pane less room", "zoom(-1)", Where.FLAT, ("underscore", "minus")),
    Command("Reload", "Read the folder anew", "reload", Where.FLAT, ("f5",)),
    Command("Step back", "Cancel, clear, or close what is open", "step_back", Where.FLAT, ("escape",), palette=False),
    Command("Save", "Save, unless somebody else changed the file", "save", Where.FLAT_EDIT, ("ctrl+s",), footer=True,
            first=True),
    Command("Start over", "Go on from what somebody else wrote", "take_theirs", Where.FLAT_EDIT, ("ctrl+r",),
            (Need.CONFLICT,), footer=True, first=True),
    Command("Merge", "Put both changes together", "merge", Where.FLAT_EDIT, ("f9",), (Need.CONFLICT,), footer=True,
            first=True),
    Command("Step back", "Close the editor", "close", Where.FLAT_EDIT, ("escape",), palette=False, footer=True),
    Command("Save", "Save the file, if nobody else changed it meanwhile", "save", Where.EDIT, ("ctrl+s",),
            (Need.OPEN,), footer=True, first=True),
    Command("Merge", "Compare what is typed with what somebody else wrote, and merge", "compare", Where.EDIT, ("f9",),
            (Need.CONFLICT,)),
    Command("Editor", "Go on with the body in your own $EDITOR", "outside", Where.EDIT, ("ctrl+o",), (Need.EDITABLE,),
            footer=True, first=True),
    Command("New", "Make a file", "new", Where.EDIT, ("ctrl+n",), (Need.WRITABLE,), footer=True),
    Command("As agent", "Show the file as the agent sees it", "as_agent", Where.EDIT, ("f3", "a"), (Need.FILE,),
            footer=True),
    Command("All areas", "Let the agent's own areas be curated, or stop that", "all_areas", Where.EDIT,
            ("f4",), (Need.WRITABLE,), footer=True),
    Command("Next remark", "Go to the next place with a remark", "next_remark", Where.EDIT, ("ctrl+l",), (Need.OPEN,),
            first=True),
    Command("Next part", "Go to the next part of the form", "next_part", Where.EDIT, ("f6",), (Need.OPEN,),
            palette=False, first=True),
    Command("Rename", "Give the file another name or place", "rename", Where.EDIT, ("f2",),
            (Need.EDITABLE, Need.STORED)),
    Command("Delete", "Delete the file", "delete", Where.EDIT, ("f8", "D", "shift+d"), (Need.FILE, Need.WRITABLE)),
    Command("Start over", "Give up what was typed, and take what is stored", "start_over", Where.EDIT, ("ctrl+r",),
            (Need.TYPED,), first=True),
    Command("Take back", "List what was changed in this session, and take it back", "take_back", Where.EDIT,
            ("u", "ctrl+t"), (Need.UNDO,)),
    Command("To Browse", "Show the file in Browse", "to_browse", Where.EDIT, ("b",), (Need.FILE,)),
    Command("Reload", "Read the list anew", "reload", Where.EDIT, ("f5",)),
    Command("Step back", "Cancel, or leave the text for the list", "step_back", Where.EDIT, ("escape",), palette=False,
            footer=True),
    _move("Leave", "To the next part; esc leaves for the list, f6 stays in the form", "focus_next", Where.WRITING,
          "tab", "shift+tab"),
    _move("Undo", "Take back what was typed last, and again", "undo", Where.WRITING, "ctrl+z"),
    _move("Redo", "Type it again", "redo", Where.WRITING, "ctrl+y"),
    _move("Cut", "Cut the selection, or the line", "cut", Where.WRITING, "ctrl+x"),
    _move("Copy", "Copy the selection", "copy", Where.WRITING, "ctrl+c"),
    _move("Paste", "Insert what was copied; line breaks join in a one-line field", "paste", Where.WRITING, "ctrl+v"),
    _move("Select all", "Select all of the text", "select_all", Where.WRITING, "f7"),
    _move("Word", "Delete the word before the cursor", "delete_word_left", Where.WRITING, "ctrl+w"),
    _move("Line", "Delete to the end of the line, or from its beginning", "delete_to_end", Where.WRITING, "ctrl+k",
          "ctrl+u"),
    Command("Theirs", "Let this difference become theirs", "settle('theirs')", Where.MERGE, ("t",), footer=True),
    Command("Mine", "Let this difference become mine", "settle('mine')", Where.MERGE, ("m",), footer=True),
    Command("Both", "Let both stand, theirs first", "settle('both')", Where.MERGE, ("b",), footer=True),
    Command("Before", "Let it be as it was before", "settle('base')", Where.MERGE, ("o",)),
    Command("All theirs", "Let everything become theirs", "settle_all('theirs')", Where.MERGE, ("T", "shift+t")),
    Command("All mine", "Let everything become mine", "settle_all('mine')", Where.MERGE, ("M", "shift+m")),
    Command("Whole", "Show the whole that it leads to, or the sides again", "result", Where.MERGE, ("v",), footer=True),
    Command("Save", "Save it as settled", "save", Where.MERGE, ("ctrl+s",), (Need.SETTLED,), footer=True),
    Command("Edit", "Go on in the editor with it as settled so far", "adjust", Where.MERGE, ("e",), footer=True),
    Command("Next", "Go to the next difference that waits", "next", Where.MERGE, ("n",)),
    Command("Start/stop", "Start the server, or stop it", "serve", Where.AGENT, ("t",), footer=True),
    Command("Connect", "Show how clients connect, copy it, or make a new token", "connect", Where.AGENT, ("i",),
            footer=True),
    Command("Ask first", "Let changes wait for a person, or let them through", "ask_first", Where.AGENT, ("A",
            "shift+a"), footer=True),
    Command("Play", "Watch a scripted agent play the walkthroughs", "play", Where.AGENT, ("p",), footer=True),
    Command("Take back", "Revert what the call changed", "revert", Where.AGENT, ("u",), (Need.CHANGED,),
            footer=True),
    Command("To Browse", "Open the changed file in Browse", "open_file", Where.AGENT, ("b",), (Need.CHANGED,)),
    Command("Save", "Save the calls to a file", "save", Where.AGENT, ("ctrl+s",), (Need.CALL,)),
    Command("Earlier", "Look at the saved calls of an earlier session", "open_session", Where.AGENT, ("E", "shift+e")),
    Command("Follow log", "Follow the calls that another server logs", "follow_log", Where.AGENT, ("F", "shift+f")),
    Command("Clear", "Forget the calls", "clear", Where.AGENT, needs=(Need.CALL,)),
    *_on_calls(Where.AGENT, "the calls"),
    *_on_calls(Where.SESSION, "the saved calls"),
    Command("Play", "Go on at reading speed, or pause", "pause", Where.PLAY, ("p", "space"), _IDLE, footer=True,
            first=True),
    Command("Next", "Play the next step", "step", Where.PLAY, ("n",), _IDLE, footer=True, first=True),
    Command("Reload", "Begin this walkthrough again", "restart", Where.PLAY, ("f5",), footer=True),
    Command("Forward", "Go to the next walkthrough", "go_on(1)", Where.PLAY, ("right_square_bracket",), footer=True),
    Command("Back", "Go to the walkthrough before", "go_on(-1)", Where.PLAY, ("left_square_bracket",)),
    *_on_calls(Where.PLAY, "the calls of the walkthrough"),
    Command("Approve", "Let the change be made", "approve", Where.GATE, ("a",), _IDLE, footer=True),
    Command("Refuse", "Refuse the change, with a reason", "refuse", Where.GATE, ("r",), _IDLE, footer=True, first=True),
    Command("Next", "Look at the next change that waits", "next", Where.GATE, ("n",), _IDLE, footer=True),
    Command("Copy", "Copy what the client needs, with the token", "copy", Where.CONNECT, ("c",), footer=True),
    Command("Reveal", "Show the token for a moment, or hide it", "reveal", Where.CONNECT, ("r",), footer=True),
    Command("New token", "Make a new token, which shuts out whoever has the old one", "renew", Where.CONNECT, ("N",
            "shift+n"), footer=True),
    Command("Repair", "Look at the repair, then make it", "repair", Where.HEALTH, ("r",), (Need.FINDING, Need.WRITABLE),
            footer=True),
    Command("To Browse", "Open the file in Browse", "open_file", Where.HEALTH, ("b",), (Need.FINDING,), footer=True),
    Command("Edit", "Repair the file by hand", "edit", Where.HEALTH, ("e",), (Need.FILE, Need.READABLE, Need.WRITABLE),
            footer=True),
    Command("Filter", "Check only a part of the store, or all of it", "scope", Where.HEALTH, ("slash",), _IDLE,
            footer=True),
    Command("Take back", "Take back what was changed last", "undo", Where.HEALTH, ("u",), (Need.UNDO,), footer=True),
    Command("Copy", "Copy the finding as JSON", "copy", Where.HEALTH, ("c",), (Need.FINDING,)),
    Command("Reload", "Check everything again", "check", Where.HEALTH, ("f5",), footer=True),
    Command("Larger", "Give the pane in focus more room", "zoom(1)", Where.HEALTH, ("plus",)),
    Command("Smaller", "Give the pane in focus less room", "zoom(-1)", Where.HEALTH, ("underscore", "minus")),
    Command("Step back", "Cancel the check, or leave the finding", "step_back", Where.HEALTH, ("escape",),
            palette=False),
    Command("Make it", "Make the repair that is shown", "accept", Where.REPAIR, ("y",), footer=True),
    Command("Export", "Write all that the entity has stored to a file", "export", Where.OPERATE, ("x",), (Need.IDLE,
            Need.ENTITY), footer=True),
    Command("Restore", "Put back what was exported", "restore", Where.OPERATE, ("R", "shift+r"), (Need.IDLE,
            Need.WRITABLE), footer=True),
    Command("Purge", "Erase all that the entity has stored", "purge", Where.OPERATE, ("X", "shift+x"), (Need.IDLE,
            Need.WRITABLE, Need.ENTITY), footer=True),
    Command("Filter", "Narrow the entities as you type", "filter", Where.OPERATE, ("slash",), _IDLE, footer=True,
            first=True),
    Command("Copy", "Copy the receipt", "copy", Where.OPERATE, ("c",), (Need.RECEIPT,), footer=True),
    Command("Save", "Save the receipt to a file", "save", Where.OPERATE, ("ctrl+s",), (Need.RECEIPT,), footer=True),
    Command("Reload", "Look for entities anew", "reload", Where.OPERATE, ("f5",)),
    Command("Larger", "Give the pane in focus more room", "zoom(1)", Where.OPERATE, ("plus",)),
    Command("Smaller", "Give the pane in focus less room", "zoom(-1)", Where.OPERATE, ("underscore", "minus")),
    Command("Step back", "Cancel what is running, or clear the filter", "step_back", Where.OPERATE, ("escape",),
            palette=False),
    Command("Restore", "Put the version back, over the one of now", "restore", Where.VERSIONS, ("R", "shift+r"),
            (Need.PAST,), footer=True),
    _move("Right", "Open the node under the cursor", "open", Where.TREE, "right", "l"),
    _move("Left", "Close the node, or go to the one above", "close", Where.TREE, "left", "h"),
    _move("Count", "Count what lies below the node; in a bucket a request for each 998 files", "count", Where.TREE,
          "number_sign"),
    _move("Up", "One line up", "cursor(-1)", Where.LIST, "up", "k"),
    _move("Down", "One line down", "cursor(1)", Where.LIST, "down", "j"),
    _move("Page up", "One page up", "page(-1)", Where.LIST, "pageup", "ctrl+b"),
    _move("Page down", "One page down", "page(1)", Where.LIST, "pagedown", "ctrl+f"),
    _move("First", "To the first line", "edge(-1)", Where.LIST, "home", "g"),
    _move("Last", "To the last line", "edge(1)", Where.LIST, "end", "G", "shift+g"),
    _move("Mark", "Mark the line, to copy several at once", "mark", Where.LIST, "space"),
    _move("Choose", "Choose the line under the cursor", "choose", Where.LIST, "enter"),
    _move("Up", "Scroll up", "scroll(-1)", Where.TEXT, "up", "k"),
    _move("Down", "Scroll down", "scroll(1)", Where.TEXT, "down", "j"),
    _move("Left", "Scroll left where lines are not wrapped", "sideways(-8)", Where.TEXT, "left", "h"),
    _move("Right", "Scroll right where lines are not wrapped", "sideways(8)", Where.TEXT, "right", "l"),
    _move("Page up", "One page up", "page(-1)", Where.TEXT, "pageup", "ctrl+b"),
    _move("Page down", "One page down", "page(1)", Where.TEXT, "pagedown", "ctrl+f"),
    _move("First", "To the top", "edge(-1)", Where.TEXT, "home", "g"),
    _move("Last", "To the bottom", "edge(1)", Where.TEXT, "end", "G", "shift+g"),
    _move("Wrap", "Wrap long lines, or let them run on", "wrap", Where.TEXT, "w"),
    _move("To the list", "Keep the filter and go to the list", "to_list", Where.TYPING, "enter", "down"),
    Command("Copy", "Copy the text as it is sent", "copy", Where.PAYLOAD, ("c",), footer=True),
    Command("Format", "Lay the JSON out for reading, or show it as it is sent", "format", Where.PAYLOAD, ("f",),
            footer=True),
    Command("Body", "Copy the text of the body", "copy('b')", Where.COPY, ("b",), first=True),
    Command("Path", "Copy the path", "copy('p')", Where.COPY, ("p",), first=True),
    Command("JSON", "Copy everything as JSON", "copy('J')", Where.COPY, ("J", "shift+j"), first=True),
    Command("Version", "Copy the version", "copy('v')", Where.COPY, ("v",), first=True),
    Command("Close", "Close the dialog", "close", Where.DIALOG, ("escape",), palette=False, footer=True),
)  # fmt: skip


def commands(*where: Where) -> tuple[Command, ...]:
    """The commands of some places, in the order in which help and footer show them."""
    return tuple(command for command in COMMANDS if command.where in where)


def bindings(*where: Where) -> list[Binding]:
    """The same as Textual's bindings."""
    return [_binding(command) for command in commands(*where) if command.keys]


def _binding(command: Command) -> Binding:
    return Binding(
        ",".join(command.keys),
        command.action,
        command.name,
        show=command.footer,
        tooltip=command.help,
        priority=command.first,
        id=command.id,
    )


def by_action(action: str, *where: Where) -> Command | None:
    """The command of these places that runs `action`, given without its parameters."""
    return next((c for c in commands(*where) if bare(c.action) == action), None)


def bare(action: str) -> str:
    """The name of an action without its namespace and parameters."""
    return action.partition("(")[0].rpartition(".")[2]


def unmet(command: Command, met: Iterable[Need]) -> Need | None:
    """The first need of `command` that is not among `met`."""
    return next((need for need in command.needs if need not in set(met)), None)


_KEY_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "number_sign": "#",
    "plus": "+",
    "underscore": "_",
    "minus": "-",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "backspace": "bksp",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "shift+tab": "⇧tab",
}


def key_label(key: str) -> str:
    """A key as people read it: `?`, `^p`, `pgdn`."""
    return _KEY_NAMES.get(key) or key.replace("ctrl+", "^")


def key_labels(command: Command) -> str:
    """All keys of a command, without the second spelling that terminals use for capital letters."""
    return " ".join(key_label(key) for key in command.keys if not key.startswith("shift+") or key == "shift+tab")
