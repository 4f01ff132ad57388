"""Which interfaces of a host elsewhere carry its traffic, by their names and numbers. Pure.

Its /sys cannot be read, which is what tells hardware from bridges and the ends of container links on this host.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MADE = re.compile(
    r"lo\d*|veth.*|docker\d*|br-.*|virbr.*|vnet.*|cni.*|cbr.*|flannel.*|cali.*|cilium.*|lxc.*|lxd.*|nodelocaldns|kube-.*"
    r"|tun.*|tap.*|tailscale.*|wg.*|ifb.*|dummy.*|bond.*|team.*|vlan.*|macv.*|ipvl.*|vxlan.*|geneve.*|gre.*|sit.*"
    r"|ip6tnl.*|ovs-.*|br\d+|podman.*|weave|antrea-.*|.+[.@]\d+"
)
"""Loopback, bridges, tunnels, links into containers, and what is stacked on interfaces that are counted themselves."""


def carriers(names: Iterable[str], index: Mapping[str, float], lower: Mapping[str, float]) -> list[str]:
    """The interfaces to count. `index` is the number of each, `lower` the number of the one that it stands on.

    One that stands on another would count a packet twice, unless it is all there is: in a container the one link out
    stands on its far end.
    """
    own = [name for name in names if not _MADE.fullmatch(name)]
    ground = [name for name in own if lower.get(name, index.get(name)) == index.get(name)]
    return ground or own
