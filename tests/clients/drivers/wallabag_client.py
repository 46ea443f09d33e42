"""wallabag-client through its own commands, in its own environment: wallabag_client.py ADDRESS TOKEN PAGE FOLDER."""

import contextlib
import io
import json
import sys
from pathlib import Path, PurePath

from wallabag import wclick
from wallabag.api.api import Api
from wallabag.api.get_api_version import ApiVersion
from wallabag.api.get_list_entries import GetListEntries
from wallabag.api.get_list_entries import Params as ListApiParams
from wallabag.commands.add import AddCommand, AddCommandParams
from wallabag.commands.anno import AnnoCommand, AnnoCommandParams, AnnoSubcommand
from wallabag.commands.delete import DeleteCommand, DeleteCommandParams
from wallabag.commands.delete_by_tags import DeleteByTags, DeleteByTagsParams
from wallabag.commands.export import ExportCommand, ExportCommandParams
from wallabag.commands.list import CountCommand, ListCommand, ListParams
from wallabag.commands.show import ShowCommand, ShowCommandParams
from wallabag.commands.tags import TagsCommand, TagsCommandParams, TagsSubcommand
from wallabag.commands.update import UpdateCommand, UpdateCommandParams
from wallabag.config import Configs, Options, Sections
from wallabag.configurator import Validator
from wallabag.entry import Entry
from wallabag.format_type import FormatType

address, token, page, folder = sys.argv[1:5]
wclick.confirm = lambda *_, **__: True  # nobody is there to ask

config = Configs(str(Path(folder) / "config.ini"))
for section, name, value in (
    (Sections.API, Options.SERVERURL, f"{address}/wallabag"),
    (Sections.API, Options.USERNAME, "anybody"),
    (Sections.API, Options.PASSWORD, token),
    (Sections.OAUTH2, Options.CLIENT, "1_kept"),
    (Sections.OAUTH2, Options.SECRET, "kept"),
):
    config.set(section, name, value)

told = {}


def run(name, command):
    """What it answers; it must succeed."""
    with contextlib.redirect_stdout(io.StringIO()):
        succeeded, answer = command.execute()
    assert succeeded, (name, answer)
    told[name] = answer
    return answer


def entries(**params):
    asked = {ListApiParams.COUNT: 100, **params}
    return Entry.create_list(GetListEntries(config, asked).request().response["_embedded"]["items"])


told["is_minimum_version"] = Api.is_minimum_version(ApiVersion(config).request())
told["validator"] = Validator(config).check_oauth()[0]
run("list", ListCommand(config))
run("count", CountCommand(config))
run("untagged", ListCommand(config, ListParams(untagged=True)))
run("add", AddCommand(config, AddCommandParams(page, title="Added", starred=True, read=False, tags="one,two")))
run("add_again", AddCommand(config, AddCommandParams(page)))
[added] = [entry for entry in entries() if entry.title == "Added"]
told["added"] = {"starred": added.starred, "read": added.read, "tags": added.get_tags_string()}
change = UpdateCommandParams()
change.new_title, change.set_read_state, change.toggle_star = "Changed", True, True
run("update", UpdateCommand(config, added.entry_id, change))
[changed] = [entry for entry in entries() if entry.entry_id == added.entry_id]
told["changed"] = {"title": changed.title, "starred": changed.starred, "read": changed.read}


def tags(command, **values):
    params = TagsCommandParams(**values)
    params.configure(command)
    return TagsCommand(config, params)


run("tags", tags(TagsSubcommand.LIST))
run("add_tags", tags(TagsSubcommand.ADD, entry_id=added.entry_id, tags="three"))
run("entry_tags", tags(TagsSubcommand.LIST, entry_id=added.entry_id))
run("remove_tag_from_entry", tags(TagsSubcommand.REMOVE, entry_id=added.entry_id, tags="t:three"))
run("remove_tag_by_name", tags(TagsSubcommand.REMOVE, tags="two"))
ready = int(Path(folder, "ready").read_text())
run("show", ShowCommand(config, ShowCommandParams(ready)))
for kind in ("epub", "txt", "csv", "json", "xml", "html"):
    target = PurePath(folder, f"file.{kind}")
    run(f"export_{kind}", ExportCommand(config, ExportCommandParams(ready, FormatType.get(kind), target)))
annotations = AnnoCommandParams()
annotations.command, annotations.entry_id = AnnoSubcommand.LIST, ready
run("annotations", AnnoCommand(config, annotations))
annotations = AnnoCommandParams()
annotations.command, annotations.anno_id = AnnoSubcommand.REMOVE, int(told["annotations"].split(".")[0])
run("remove_annotation", AnnoCommand(config, annotations))
run("delete", DeleteCommand(config, DeleteCommandParams(added.entry_id, force=True)))
run("delete_by_tags", DeleteByTags(config, DeleteByTagsParams("tag-3", force=True, quiet=True)))
run("count_after", CountCommand(config))
print(json.dumps(told))
