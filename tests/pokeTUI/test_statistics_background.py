"""The statistics page of a run in the background is a viewer of it while somebody looks."""

import asyncio

import aiohttp

from engine import events
from engine.commands import Watch
from engine.remote.folder import probe
from pokeTUI.serve.background import serve_page
from pokeTUI.serve.connections import Guard
from pokeTUI.serve.site import listen
from tests.engine.remote.conftest import Serve, runtime, serve  # noqa: F401
from tests.pokeTUI.fake_session import make_run, make_status
from tests.pokeTUI.test_statistics import LIMIT_S, next_update


async def test_a_page_attaches_while_somebody_looks_and_ends_with_the_run(
    serve: Serve,  # noqa: F811
) -> None:
    run = serve()
    live = await asyncio.to_thread(probe, run.path)
    assert live is not None
    run.mailbox.post(make_run())
    with listen(0, "--web-port") as listener:
        port = listener.getsockname()[1]
        guard = Guard()
        serving = asyncio.create_task(serve_page(live, listener, guard, asyncio.Event()))
        async with aiohttp.ClientSession() as client:
            address = f"http://127.0.0.1:{port}/api/events?token={guard.token}"
            async with client.get(address) as response:
                await next_update(response)
                run.mailbox.post(make_status(total_steps=777))
                seen = None
                while seen is None or seen["state"]["status"] is None:
                    seen = await next_update(response)
                assert seen["state"]["run"]["id"] == make_run().run_id
                assert seen["state"]["status"]["steps"] == 777
                assert run.looks[-1] == Watch(0)
                run.mailbox.post(events.RunStopped("quit", 777, ""))
                await asyncio.to_thread(run.server.close)
                while seen["state"]["end"] is None:
                    seen = await next_update(response)
                assert seen["state"]["end"]["kind"] == "stopped"
                async with asyncio.timeout(LIMIT_S):
                    await serving
