r"""The names of functions that wait, work, run loops or pools: what, pattern of the file, pattern of the function.

A file is matched as a path with a slash in front (`/socket.py`, `/usr/lib/python3.11/socket.py`), a function
by its last part. `native` stands for compiled code: `^/$` (no file), a C source or a shared object.
"""

from __future__ import annotations

import re
from functools import cache

Row = tuple[str, re.Pattern[str], re.Pattern[str]]
_NATIVE = r"^/$|\.(?:c|h|cc|cpp|so[.\d]*|rs|pyx)$|libc|libpthread|libresolv|libnss|libssl|libcrypto|kernel"

WAITS = r"""
selector    /selectors\.py$                                select
selector    /zmq/sugar/poll\.py$                           poll
selector    /trio/_core/_io_\w+\.py$                       get_events
selector    /tornado/platform/\w+\.py$|/eventlet/hubs/     poll|wait
selector    /kombu/utils/eventio\.py$                      poll
selector    /gunicorn/(?:arbiter|workers/sync)\.py$        sleep|wait
selector    /gevent/hub\.py$                               run
selector    /twisted/internet/\w+reactor\.py$              doPoll|doSelect|doIteration
selector    native                                         _*(?:epoll_p?wait2?|do_epoll_wait|ep_poll|p?poll|p?select)
peer        /vllm/distributed/                             sched_yield|wait|acquire_read|acquire_write
peer        /zmq/sugar/socket\.py$                         recv\w*
notice      /queue\.py$                                    get|put|join
notice      /threading\.py$                                wait|wait_for|join|_wait_for_tstate_lock
notice      /concurrent/futures/(?:_base|process)\.py$     result|exception|wait|as_completed|wait_result_\w+
notice      /concurrent/futures/thread\.py$                _worker|shutdown
notice      /multiprocessing/(?:pool|queues|managers)\.py$ get|wait|join|worker|_wait_for_updates
notice      /multiprocessing/(?:connection|process|popen_\w+)\.py$ wait|join|poll|_?recv\w*|_?send\w*|accept
lock        /threading\.py$|/multiprocessing/synchronize\.py$ acquire|__enter__|_acquire_restore
lock        /(?:filelock|fasteners|portalocker)/           acquire|__enter__|_acquire
lock        native                                         _*(?:futex_\w+|do_futex|sem_(?:timed|clock)?wait)
lock        native                                         _*futex_abstimed\w*|_*lll_lock_wait\w*
lock        native                                         \w*PyThread_acquire_lock\w*
lock        native                                         _*pthread_(?:mutex_lock|cond_\w*wait)
dns         /socket\.py$                                   getaddrinfo|gethostbyname|gethostbyaddr|getnameinfo|getfqdn
dns         /(?:dns|aiodns|pycares)/                       resolve\w*|query|_wait_for|_net_read|udp|tcp|receive_udp
dns         native                                         _*(?:getaddrinfo|gethostbyname\w*|res_n?\w+|send_dg|gaih_\w+)
ssl         /ssl\.py$|/OpenSSL/SSL\.py$                    read|write|recv\w*|send\w*
ssl         /ssl\.py$|/OpenSSL/SSL\.py$                    do_handshake|unwrap|_create|shutdown
ssl         /urllib3/util/ssl\w*\.py$                      ssl_wrap_socket|_ssl_wrap_socket_impl
ssl         native                                         SSL_(?:read|write|do_handshake|connect|accept|shutdown)\w*
socket      /socket\.py$                                   recv\w*|readinto|write|send\w*
socket      /socket\.py$                                   accept|connect\w*|create_connection
socket      /socketserver\.py$|/http/client\.py$           recv\w*|readinto|_?read\w*|send\w*|connect|begin
socket      /urllib3/util/(?:wait|connection)\.py$         create_connection|wait_for_\w+|\w+_wait_for_socket
socket      /(?:smtplib|ftplib|imaplib|poplib)\.py$|/xmlrpc/ .*
socket      native                                         _*(?:sock_\w+|(?:libc_)?(?:recv|send)(?:from|msg|to)?)
socket      native                                         _*(?:libc_)?(?:connect|accept4?)|tcp_\w+|inet_\w+
subprocess  /subprocess\.py$                               _?wait|_try_wait|_?communicate|run|call|check_\w+
subprocess  /subprocess\.py$                               _execute_child|__exit__
subprocess  /os\.py$                                       popen|system|wait\w*
subprocess  native                                         _*(?:wait4|waitpid|do_wait)
sleep       /tenacity/nap\.py$|/backoff/_sync\.py$         sleep\w*|retry
sleep       /urllib3/util/retry\.py$|/botocore/\w+\.py$    _?sleep\w*
sleep       native                                         _*(?:clock_nanosleep\w*|nanosleep|time_sleep|pysleep|usleep)
file        /(?:pathlib|shutil|tempfile|fileinput|linecache)\.py$ open|read\w*|write\w*|_?copy\w*|stat
file        /(?:pathlib|shutil|tempfile|fileinput|linecache)\.py$ exists|glob|iterdir|rmtree|move
file        /(?:zipfile|tarfile|gzip|lzma|bz2)\.py$|/dbm/  open|_?read\w*|write\w*|extract\w*
file        native                                         _*(?:fsync|fdatasync|openat?64?|pread64|pwrite64)
file        native                                         vfs_(?:read|write|fsync)|ksys_(?:read|write)
"""
"""What a thread waits for when this is its innermost frame."""

CLIENTS = (
    r"/(?:redis|pymysql|MySQLdb|mysql|psycopg|psycopg2|pg8000|asyncpg|pymongo|cassandra|botocore|boto3|s3transfer|kafka|"
    r"pika|kombu|amqp|elasticsearch|elastic_transport|opensearchpy|pymemcache|memcache|paramiko|ldap3|stomp|thrift|requests|"
    r"urllib3|httpx|httpcore|aiohttp|websockets?|grpc|consul|etcd3|hvac|minio|clickhouse_driver|clickhouse_connect|"
    r"influxdb_client|sqlalchemy|pyodbc|oracledb|snowflake|google/(?:cloud|api_core|auth)|azure)/"
)
"""Folders of clients of other services."""

CLIENT_WAITS = (
    r"recv\w*|_?read\w*|readinto|send\w*|_?write\w*|_?connect\w*|poll\w*|wait\w*|_?get_response|getresponse|execute\w*|"
    r"handshake|_roundtrip|receive\w*|_?blocking|can_read|do_execute\w*|_?query"
)
"""Functions of theirs that wait for a socket when they are innermost."""

ASYNC = (
    r"/(?:asyncio|uvloop|trio|anyio|aiohttp|aio\w+|asyncpg|motor|uvicorn|hypercorn|h11|h2|httptools|wsproto|nats|twisted|"
    r"tornado|_async|asynchronous|_async_\w+)/|/websockets/(?!sync/)|/grpc/aio/|/zmq/(?:_future|asyncio)|/\w*_async\w*\.py$|"
    r"/_backends/(?:anyio|auto|trio|asyncio)\.py$|/selector_events\.py$|/sslproto\.py$"
)
"""Files whose calls on sockets never wait: a loop has told them that there is something to read."""

ASYNC_FUNCTIONS = r"(?:^|\.)(?:Async[A-Z]\w*\.|async_\w+$|\w+_async$|a(?:read|iter\w*|close)$)"
"""Functions of clients that have both kinds in one file."""

FRAMEWORKS = (
    r"/(?:uvicorn|hypercorn|gunicorn|starlette|fastapi|anyio|sniffio|trio|uvloop|tornado|twisted|gevent|eventlet|flask|"
    r"werkzeug|django|quart|sanic|litestar|falcon|h11|h2|httptools|click|typer|opentelemetry|prometheus_client|"
    r"prometheus_fastapi_instrumentator|pydantic|pydantic_core|tenacity|backoff|asgiref|pluggy|wrapt|celery|billiard|zmq|"
    r"sentry_sdk|ddtrace|newrelic|elasticapm|structlog|loguru|debugpy|pytest|_pytest)/"
)
"""Folders of packages that are nobody's own code."""

WORKS = r"""
gc          ^/:?$|gcmodule|/gc\.c$|/gc_\w+\.c$             :?GC:?|gc_collect\w*|gc_main
gc          ^/:?$|gcmodule|/gc\.c$|/gc_\w+\.c$             collect_generations|subtract_refs
gc          native                                         gc_collect\w*|_?PyGC_Collect\w*|visit_(?:decref|reachable)
gc          native                                         update_refs|deduce_unreachable
gc          native                                         move_unreachable|_PyObject_GC_\w+
import      /?<frozen\ importlib\._bootstrap\w*>$          .*
import      /importlib/(?:__init__|_bootstrap\w*)\.py$     .*
json        /(?:json|simplejson|orjson|ujson|rapidjson|msgspec)/ .*
json        /fastapi/encoders\.py$|/starlette/responses\.py$ jsonable_encoder|render|json
json        /pydantic/(?:main|type_adapter|json)\.py$      model_dump\w*|model_validate\w*
json        /pydantic/(?:main|type_adapter|json)\.py$      (?:dump|validate)_\w+|json|dict
json        .*                                             (?:py_)?scan_?(?:once|string)\w*|encoder_listencode\w*
json        native                                         _parse_(?:object|array)_unicode|c_make_encoder
tokenizer   /(?:tokenizers|tiktoken|sentencepiece|sacremoses)/ .*
tokenizer   /transformers/(?:.*/)?tokenization_\w+\.py$    .*
tokenizer   /vllm/tokenizers/|/mistral_common/tokens/      .*
tokenizer   /(?:de)?tokeni[sz]ers?(?:_utils|_base)?\.py$   .*
tokenizer   .*                                             _?(?:de)?tokeni[sz]e\w*
tokenizer   .*                                             _(?:batch_)?encode_plus|batch_(?:en|de)code\w*
tokenizer   .*                                             token_counter|_?count_tokens|apply_chat_template
"""
"""Work that keeps a core, wherever it stands in a stack."""

THEMES = r"""
relay       /starlette/responses\.py$                      stream_response|wrap|listen_for_disconnect
relay       /(?:sse_starlette|httpx_sse)/|/sse\w*\.py$     .*
relay       /aiohttp/(?:streams|http_writer)|/h11/_writers .*
relay       /asyncio/(?:queues|streams)\.py$               .*
relay       /uvicorn/protocols/http/                       send|data_received|write
relay       /(?:httpx|httpcore)/                           aiter_\w+|__aiter__|iter_(?:raw|bytes|text|lines)
relay       /litellm/.*streaming\w*\.py$                   .*
relay       .*                                             \w*stream_generator|\w*stream_response
relay       .*                                             (?:_run_)?output_handler
relay       .*                                             \w*_streamer|event_publisher|stream_with_\w+|_wake_?up\w*
serialise   /(?:json|simplejson|orjson|ujson|rapidjson|msgspec)/ .*
serialise   /msgpack/|/cloudpickle/|/pickle\.py$           .*
serialise   /pydantic/|/google/protobuf/                   model_dump\w*|_serialize\w*|dump_\w+
serialise   /pydantic/|/google/protobuf/                   SerializeToString|dict|json
serialise   /fastapi/encoders\.py$|/vllm/v1/serial_utils\.py$ jsonable_encoder|encode\w*|decode\w*
serialise   .*                                             _?serialize\w*|model_dump\w*
serialise   .*                                             scan_once\w*|encoder_listencode\w*
media       /(?:PIL|cv2|torchvision|torchaudio|librosa|soundfile)/ .*
media       /(?:decord|av|imageio|pydub|torchcodec|multimodal)/ .*
media       /(?:image|video|audio)_processing\w*\.py$      .*
media       /feature_extraction_\w+\.py$                   .*
metrics     /prometheus_client/(?:exposition|registry|openmetrics) .*
metrics     /prometheus_client/(?:multiprocess|mmap_dict)  .*
metrics     /opentelemetry/(?:sdk/metrics|exporter)        .*
grammar     /(?:xgrammar|outlines|outlines_core|lmformatenforcer)/ .*
grammar     /(?:llguidance|guidance|interegular)/          .*
grammar     /vllm/v1/structured_output/|/sglang/srt/constrained/ .*
sampling    /vllm/v1/sample/|/sglang/srt/sampling/         .*
sampling    /vllm/model_executor/layers/(?:sampler|logits_process) .*
sampling    /logits_process\w*\.py$|/sampling_penalties\.py$ .*
compile     /torch/(?:_dynamo|_inductor|_export|_functorch)/ .*
compile     /torch/utils/cpp_extension|/triton/compiler/   .*
compile     /triton/runtime/autotuner|/flashinfer/jit|/tvm/ .*
gpu_wait    /torch/cuda/                                   synchronize|wait|wait_event|wait_stream|query
gpu_wait    .*                                             (?:cu|cuda|hip)(?:Stream|Event|Device|Ctx)?Synchronize\w*
gpu_wait    .*                                             (?:cu|cuda)Memcpy(?:DtoH)?\w*
collective  /torch/distributed/(?:distributed_c10d|c10d_logger) all_reduce|all_gather\w*
collective  /torch/distributed/(?:distributed_c10d|c10d_logger) reduce_scatter\w*|broadcast\w*|gather
collective  /torch/distributed/(?:distributed_c10d|c10d_logger) \w*barrier|all_to_all\w*|send|recv|scatter
collective  /pynccl\w*\.py$|/custom_all_reduce\.py$        all_reduce|all_gather\w*
collective  /pynccl\w*\.py$|/custom_all_reduce\.py$        reduce_scatter\w*|broadcast|send|recv
collective  /(?:vllm|sglang/srt)/distributed/              \w*all_reduce\w*|\w*all_gather\w*
collective  /(?:vllm|sglang/srt)/distributed/              \w*barrier|tensor_model_parallel_\w+
collective  .*                                             nccl\w+|gloo\w*|ProcessGroup(?:NCCL|Gloo)\w*
"""
"""What a share of the samples is about, wherever it stands in a stack."""

LOOPS = r"""
loop        /asyncio/(?:base_events|events|runners)\.py$   _run_once|run_forever|run_until_complete|_run|run
loop        /uvloop/                                       run|run_until_complete|run_forever
loop        /tornado/(?:ioloop|platform/asyncio)\.py$      start|_run_callback|run_sync
loop        /trio/_core/_run\.py$                          run|unrolled_run|task_step|guest_tick
loop        /gevent/hub\.py$|/eventlet/hubs/               run
loop        /anyio/_core/_eventloop\.py$                   run
loop        /twisted/internet/\w+\.py$                     mainLoop|runUntilCurrent|run
"""
"""Frames of an event loop; what stands below the innermost of them is a callback."""

POOLS = r"""
pool        /concurrent/futures/thread\.py$                _worker
pool        /concurrent/futures/process\.py$               _process_worker
pool        /anyio/_backends/_asyncio\.py$                 run
pool        /trio/_core/_thread_cache\.py$                 _work|_handle_job
pool        /multiprocessing/pool\.py$                     worker
pool        /(?:waitress|cheroot)/|/twisted/_threads/      handler_thread|run|work|doWork
pool        /gunicorn/workers/gthread\.py$                 handle
"""
"""Frames of a thread that takes jobs; what stands below the innermost of them is a job."""


@cache
def rows(table: str) -> tuple[Row, ...]:
    """The rows of a table, compiled."""
    parts = (re.split(r"(?<!\\)\s+", line, maxsplit=2) for line in table.strip().split("\n"))
    return tuple(
        (what, re.compile(_NATIVE if file == "native" else file), re.compile(f"(?:{function})$"))
        for what, file, function in parts
    )


def first(table: str, file: str, name: str) -> str | None:
    """What the first row that matches says; None for none."""
    return next((what for what, files, names in rows(table) if files.search(file) and names.match(name)), None)


def every(table: str, file: str, name: str) -> frozenset[str]:
    """What all rows that match say."""
    return frozenset(what for what, files, names in rows(table) if files.search(file) and names.match(name))
