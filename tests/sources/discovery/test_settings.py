"""What known programs were told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.sources.discovery.known import find_known
from perfconsole.sources.discovery.settings import Settings, SettingsShelf, read_settings
from tests.sources.discovery.building import program, programs
from tests.sources.fakeroot import FakeRoot

if TYPE_CHECKING:
    from pathlib import Path


def settings(base: str, *argv: str) -> Settings:
    """Settings of the one program with that command line."""
    (known,) = find_known(programs(program(7, *argv)))
    return read_settings(base, known)


def test_the_port_of_an_engine_may_stand_in_its_file(tmp_path: Path) -> None:
    """The command line holds over it."""
    root = FakeRoot(tmp_path)
    root.put("etc/vllm.yaml", "port: 8123\n")
    argv = ("vllm", "serve", "m", "--config", "/etc/vllm.yaml")
    assert settings(root.base, *argv).port == 8123
    assert settings(root.base, *argv, "--port", "8001").port == 8001


def test_nginx_is_read_from_the_usual_places(tmp_path: Path) -> None:
    """With the files that it includes, relative to its own folder."""
    root = FakeRoot(tmp_path)
    root.put("usr/local/nginx/conf/nginx.conf", "http { include sites/*; }")
    root.put("usr/local/nginx/conf/sites/a", "server { listen 81; location / { proxy_pass http://h:8000; } }")
    found = settings(root.base, "nginx: master process nginx")
    assert (found.upstreams, [server.port for server in found.servers]) == (("http://h:8000",), [81])


def test_nginx_is_read_from_where_its_command_line_says(tmp_path: Path) -> None:
    """In a title or as arguments, relative to a prefix."""
    root = FakeRoot(tmp_path)
    root.put("srv/n/my.conf", "http { server { listen 82; } }")
    for argv in (("nginx: master process nginx -p /srv/n -c my.conf",), ("/usr/sbin/nginx", "-c", "/srv/n/my.conf")):
        assert [server.port for server in settings(root.base, *argv).servers] == [82]


def test_a_file_that_cannot_be_read_is_a_remark(tmp_path: Path) -> None:
    """Of nginx and of LiteLLM; the port of the command line stays."""
    assert settings(str(tmp_path), "nginx: master process nginx").remark == "its configuration cannot be read"
    found = settings(str(tmp_path), "litellm", "--config", "gone.yaml", "--port", "4001")
    assert (found.port, found.remark) == (4001, "its configuration file cannot be read")


def test_files_are_read_again_after_a_minute(tmp_path: Path) -> None:
    """Not at every look."""
    root = FakeRoot(tmp_path)
    known = find_known(programs(program(7, "vllm", "serve", "m", "--config", "/c.yaml")))
    shelf = SettingsShelf(root.base)
    ports = []
    for now in (0.0, 30.0, 61.0):
        root.put("c.yaml", f"port: {8000 + int(now)}")
        ports.append(shelf.look(known, now)[7].port)
    assert ports == [8000, 8000, 8061]
