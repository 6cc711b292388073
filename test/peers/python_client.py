"""A client on the Python SDK: one prompt, every question answered alike. Writes what it saw as JSON, one object a line.

Usage: python_client.py allow_once|reject_once FILE command...
FILE: the turn is cancelled as soon as it exists.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from acp import PROTOCOL_VERSION, spawn_agent_process, text_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    FileSystemCapabilities,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)


def note(**fields):
    print(json.dumps(fields), flush=True)


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class NotingClient:
    def __init__(self, kind):
        self.kind = kind

    def on_connect(self, conn):
        pass

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        note(question=plain(tool_call), options=[plain(option) for option in options])
        option = next(option for option in options if option.kind == self.kind)
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option.option_id))

    async def session_update(self, session_id, update, **kwargs):
        note(update=plain(update))

    async def read_text_file(self, session_id, path, line=None, limit=None, **kwargs):
        note(read=path)
        return ReadTextFileResponse(content=Path(path).read_text())

    async def write_text_file(self, session_id, path, content, **kwargs):
        note(write=path)
        Path(path).write_text(content)
        return WriteTextFileResponse()


async def main():
    kind, started, command, *args = sys.argv[1:]
    async with spawn_agent_process(NotingClient(kind), command, *args, env=os.environ) as (conn, _):
        files = FileSystemCapabilities(read_text_file=True, write_text_file=True)
        await conn.initialize(PROTOCOL_VERSION, client_capabilities=ClientCapabilities(fs=files))
        session = await conn.new_session(cwd=os.getcwd(), mcp_servers=[])
        turn = asyncio.create_task(
            conn.prompt(session_id=session.session_id, prompt=[text_block("Do it.")])
        )
        while not turn.done() and not Path(started).exists():
            await asyncio.sleep(0.1)
        if not turn.done():
            await conn.cancel(session_id=session.session_id)
        note(stop=(await turn).stop_reason)


asyncio.run(main())
