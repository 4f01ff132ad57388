"""What a line of source calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfconsole.stacks.callwords import called


@pytest.mark.parametrize(
    ("line", "what", "call"),
    [
        ("    time.sleep(0.1)", "sleep", "time.sleep"),
        ("sleep(delay)  # time.sleep", "sleep", "sleep"),
        ("data = self.sock.recv(4096)", "socket", "self.sock.recv"),
        ("reply = requests.get(url, timeout=3)", "socket", "requests.get"),
        ("rows = cursor.execute('select 1')", "socket", "cursor.execute"),
        ("value = self.redis.get(key)", "socket", "self.redis.get"),
        ("ready = select.select([fd], [], [], 5)", "selector", "select.select"),
        ("value = pool.submit(work).result()", "notice", "result"),
        ("with urllib.request.urlopen(url) as reply:", "socket", "urllib.request.urlopen"),
        ("with self._lock:", "lock", "with self._lock"),
        ("lock.acquire()", "lock", "lock.acquire"),
        ("with registry_mutex, open_it():", "lock", "with registry_mutex"),
        ("answer = future.result()", "notice", "future.result"),
        ("socket.getaddrinfo(host, 80)", "dns", "socket.getaddrinfo"),
        ("subprocess.run(['ls'])", "subprocess", "subprocess.run"),
        ("os.system('ls')", "subprocess", "os.system"),
        ("gc.collect()", "gc", "gc.collect"),
        ("body = json.loads(text)", "json", "json.loads"),
        ("body = orjson.dumps(reply)", "json", "orjson.dumps"),
        ("return item.model_dump_json()", "json", "item.model_dump_json"),
        ("ids = tokenizer.encode(prompt)", "tokenizer", "tokenizer.encode"),
        ("text = Path(name).read_text()", "file", "read_text"),
        ("with open(name) as file:", "file", "open"),
        ("os.fsync(fd)", "file", "os.fsync"),
        ("import torch", "import", "import torch"),
    ],
)
def test_a_call_into_c_is_told_by_its_line(line: str, what: str, call: str) -> None:
    """The kind, and the call as it is written."""
    found = called(line)
    assert found is not None
    assert found.what == what
    assert found.call.endswith(call)


@pytest.mark.parametrize(
    "line",
    [
        "await asyncio.sleep(1)",
        "data = await reader.read(100)",
        "async with session.get(url) as reply:",
        "async with self._lock:",
        "rows = await cursor.execute('time.sleep(1)')",
        "total = sum(weights)",
        "print('time.sleep(1)')",
        "# time.sleep(1)",
        "value = settings.get('lock')",
        "text = sep.join(parts)",
        "value = task.result()",
        "value = self.cache.get(key)",
        "user = request.session.get('user')",
        "task = asyncio.create_task(redis.get(key))",
        "value = await asyncio.wait_for(redis.get(key), 1)",
        "stream.write(text)",
        "",
    ],
)
def test_what_is_awaited_or_only_written_calls_nothing(line: str) -> None:
    """Strings, remarks and coroutines wait for nobody."""
    assert called(line) is None


@given(st.text(max_size=300))
def test_no_line_makes_it_raise(line: str) -> None:
    """Any text gives a call or none."""
    called(line)
