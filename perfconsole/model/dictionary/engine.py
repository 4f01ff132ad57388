"""Layer engine: one replica of a model server, and its ranks.

Owns the wording, units and marks of these names; it must never compute or read anything.
"""

from __future__ import annotations

from functools import partial

from perfconsole.model.dictionary.entry import Entry, Fold
from perfconsole.model.dictionary.rows import COUNTER, DERIVED, EVENT, FACT, GAUGE, HISTOGRAM, STATE, TEXT, row_of
from perfconsole.model.entity import Kind

row = partial(row_of, scope=Kind.ENGINE, owner="inference")

# One indicator a row: the formatter would make five to nine lines of each.
# fmt: off
ENTRIES: tuple[Entry, ...] = (
    row("engine.up", STATE, "0/1", "poll",
        "/health answered (never a generating health check); 0 when refused, reset, unreachable or 5xx. A connection "
        "accepted and not answered keeps 1 and lets health_time grow, until 30 s",
        critical="== 0", note="when it stays so for 3 polls; proposal", fold=Fold.MIN),
    row("engine.processes", GAUGE, "count", "proc",
        "processes of the engine alive (front-end, core, workers); 0 after they were seen once and are gone",
        critical="== 0", note="proposal"),
    row("engine.stopped_processes", GAUGE, "count", "proc",
        "processes of the engine in state T or t (stopped, traced), Z (zombie), or D (uninterruptible) in two polls "
        "in a row",
        warn="> 0", note="proposal"),
    row("engine.asleep", STATE, "0/1", "live, poll",
        "sleep mode: weights off the device until woken", note="1 is worth knowing; proposal"),
    row("engine.ready", STATE, "0/1", "poll, live", "weights on the device and accepting requests", fold=Fold.MIN),
    row("engine.health_time", GAUGE, "s", "poll",
        "time /health took to answer the console", warn="> 1s", note="proposal"),
    row("engine.scrape_time", GAUGE, "s", "poll",
        "time /metrics took to answer the console", warn="> 1s", note="proposal"),
    row("engine.scrape_stall_ratio", DERIVED, "ratio", "poll",
        "how much longer health takes while a scrape is open; ratio = median health_time of polls that overlap a "
        "scrape / of those that do not, at least 5 of each; the console's own polls never overlap, so that only a "
        "value from outside fills it",
        warn="> 3", note="proposal", fold=Fold.MAX),
    row("engine.metrics_age", GAUGE, "s", "poll",
        "age of the page: since the last change of a sample that moves whenever the page is built (process CPU, "
        "scrape counters, time stamps); missing where it has none. Request and token counters do not count",
        note="more than 3 polls; proposal"),
    row("engine.uptime", GAUGE, "s", "proc, live", "time since the process started", fold=Fold.MIN),
    row("engine.startup_time", GAUGE, "s", "poll, live",
        "duration of the start, or elapsed so far while not ready", warn="> 10m", note="proposal"),
    row("engine.restarts", EVENT, "count", "proc, live",
        "starts seen in the last 6 h, the first left out", warn=">= 2", note="proposal"),
    row("engine.version", TEXT, "text", "fact", "build of the engine"),
    row("engine.model", TEXT, "text", "fact, live", "served model name"),
    row("engine.build_changed", FACT, "0/1", "fact",
        "build or effective configuration differs from the one the baseline was taken with"),
    row("engine.requests_running", GAUGE, "requests", "live",
        "requests in the running batch, summed over data-parallel ranks"),
    row("engine.requests_waiting", GAUGE, "requests", "live",
        "requests queued for capacity (all queued, where the source cannot split), summed over data-parallel ranks",
        warn="> 5", note="per replica; llm-d EPP, production-stack autoscaling"),
    row("engine.requests_deferred", GAUGE, "requests", "live",
        "requests queued for something other than capacity (remote KV, grammar, adapter)",
        note="above 0 while nothing runs; proposal"),
    row("engine.requests_finished", COUNTER, "requests", "live", "requests finished, all reasons"),
    row("engine.request_rate", DERIVED, "requests/s", "live",
        "requests ended a second; requests/s = rate of engine.requests_finished"),
    row("engine.requests_failed", COUNTER, "requests", "live",
        "requests errored or answered 5xx; aborted ones too where the source cannot split them",
        note="more than 1% of the ended requests, see engine.error_ratio; proposal"),
    row("engine.requests_aborted", COUNTER, "requests", "live", "requests aborted because the caller left"),
    row("engine.error_ratio", DERIVED, "ratio", "live",
        "share of ended requests that failed; ratio = d(requests_failed) / (d(requests_finished) + d(failed and "
        "aborted not counted in it)) over 5 min; missing below 20 requests",
        warn="> 1%", critical="> 5%", note="proposal"),
    row("engine.abort_ratio", DERIVED, "ratio", "live",
        "share of ended requests whose caller left; ratio = d(requests_aborted) / (d(requests_finished) + d(failed "
        "and aborted not counted in it)) over 5 min; missing below 20 requests",
        warn="> 10%", note="proposal"),
    row("engine.requests_rejected", COUNTER, "requests", "live",
        "requests refused by the engine's own limits", note="any new one; proposal"),
    row("engine.http_inflight", GAUGE, "requests", "live, proc", "open requests at the engine's front-end process"),
    row("engine.unadmitted", DERIVED, "requests", "live, proc",
        "accepted by HTTP and not yet handed to the scheduler; requests = http_inflight - requests_running - "
        "requests_waiting",
        note="above 30% of engine.http_inflight; incident 018"),
    row("engine.max_num_seqs", FACT, "requests", "fact, live",
        "effective cap on the running batch, per data-parallel rank; the first known of command line, server info, "
        "plateau of running, default of that version and GPU"),
    row("engine.max_num_seqs_origin", TEXT, "text", "fact",
        "where engine.max_num_seqs comes from: argv, server-info, plateau or default", note="shown with the number"),
    row("engine.load_ratio", DERIVED, "ratio", "live",
        "load now against the healthy load; ratio = (running + waiting) / base(running + waiting); missing without a "
        "baseline",
        note="below 70%, throughput under the baseline proves nothing; proposal"),
    row("engine.batch_fill", DERIVED, "ratio", "live",
        "how full the running batch is; ratio = highest requests_running of 10 s / (max_num_seqs x data_parallel): a "
        "slot freed by the last step shows as empty until the next one fills it; missing unless "
        "max_num_seqs comes from argv or server-info, because it would prove itself",
        note="at 95% or more while requests wait; proposal"),
    row("engine.running_plateau", DERIVED, "requests", "live",
        "level on which running stands; requests = the integer that running reaches in at least half of the samples of "
        "30 s, never passes and never leaves by more than one or 5%, while requests wait and finish, with "
        "max_num_seqs not from argv or server-info; or, with none waiting, its mean "
        "over 60 s if it varied before, now stays within 2% and lies within 2% of a usual pool size (50, 64, 100, "
        "128, 200, 256, 300, 500, 512, 1000, 1024); else 0",
        warn="> 0", note="incident 003"),
    row("engine.ttft", HISTOGRAM, "s", "live",
        "arrival to first token (vLLM, SGLang: front-end time included)",
        note="p95 against the objective (proposal); p95 above 3 times p50 for 5 min (seed)"),
    row("engine.itl", HISTOGRAM, "s", "live",
        "gap between successive outputs. vLLM takes it in the engine core, front-end left out; SGLang in the "
        "tokeniser manager, front-end included: never compare across engines",
        note="p95 against the objective; proposal"),
    row("engine.tpot", HISTOGRAM, "s", "live", "per-request mean time per output token"),
    row("engine.e2e", HISTOGRAM, "s", "live", "arrival to finish"),
    row("engine.queue_time", HISTOGRAM, "s", "live",
        "wait before first scheduling", note="above half of engine.ttft; proposal"),
    row("engine.prefill_time", HISTOGRAM, "s", "live", "scheduling to first token"),
    row("engine.decode_time", HISTOGRAM, "s", "live", "first to last token"),
    row("engine.prompt_tokens", COUNTER, "tokens", "live",
        "prompt tokens computed (cached ones left out where the source can)"),
    row("engine.prompt_rate", DERIVED, "tokens/s", "live",
        "prompt tokens a second; tokens/s = rate of prompt_tokens over 10 s (30 s where the source publishes per log "
        "interval). vLLM moves it only when a prefill ends: a lone long prefill shows 0, then one jump"),
    row("engine.prefill_rate", DERIVED, "tokens/s", "live",
        "prompt tokens being computed now; tokens/s = max(prompt_rate, slope(kv_cache_usage[10s]) x kv_cache_capacity "
        "- generation_rate), not below 0; prompt_rate alone where the capacity is unknown",
        note="0 with work queued; proposal"),
    row("engine.prefill_saturation", DERIVED, "ratio", "live",
        "prefill work against the most ever seen; ratio = prefill_rate / highest 10 s prefill_rate seen",
        note="at 80% or more while decode starves; incident 041"),
    row("engine.generation_tokens", COUNTER, "tokens", "live",
        "output tokens, from counters that move while requests run"),
    row("engine.generation_rate", DERIVED, "tokens/s", "live",
        "output tokens a second; tokens/s = rate of generation_tokens over 10 s (30 s where the source publishes per "
        "log interval); missing where tokens are only counted at finish"),
    row("engine.tokens_per_gpu", DERIVED, "tokens/s", "live",
        "output tokens a second and GPU; tokens/s = generation_rate / number of the engine's GPUs", fold=Fold.MEAN),
    row("engine.scheduler_itl", DERIVED, "s", "live",
        "the gap between tokens that the scheduler itself produces; s = requests_running / generation_rate; missing "
        "while generation_rate is 0"),
    row("engine.delivery_ratio", DERIVED, "ratio", "live, probe",
        "what delivery adds to the gap between tokens; ratio = first available of gateway.itl.p50, probe.itl.p50, "
        "engine.itl.p50 taken in the front-end (SGLang) / engine.itl.p50 taken in the core (vLLM), else scheduler_itl",
        warn="> 2", note="incident 021", fold=Fold.MAX),
    row("engine.scaling", DERIVED, "ratio", "live",
        "whether more running requests give more tokens, 1 linear, 0 flat, below 0 falling; ratio = (d "
        "generation_rate / generation_rate) / (d running / running) between two 2 min means 10 min apart; missing if "
        "running moved less than 20% or is below 1 in either",
        warn="< 20%", note="proposal"),
    row("engine.step_tokens", HISTOGRAM, "tokens", "live", "tokens per engine step"),
    row("engine.step_time", DERIVED, "s", "live",
        "mean time per engine step; s = window / number of steps in it (on vLLM only steps that give output), of "
        "several ranks of the one that steps most"),
    row("engine.busy", GAUGE, "ratio", "live", "share of wall time in forward passes"),
    row("engine.graph_ratio", DERIVED, "ratio", "live",
        "share of decode steps run from a captured graph; ratio = d(graph passes) / d(all decode passes) over 1 min",
        warn="< 50%", note="proposal"),
    row("engine.captured_batch", FACT, "requests", "fact, log",
        "largest decode batch with a captured graph, divided by tokens per step under speculation",
        note="requests running above it; incident 036"),
    row("engine.stall_time", DERIVED, "s", "live",
        "longest gap without output while requests ran; s = longest time between polls with the same generation_tokens "
        "and running > 0 in the last 5 min, at least 3 usual gaps long, after output of a request that is still there; "
        "0 without one. A lower bound: shorter gaps show only in engine.itl.p99",
        warn="> 100ms", note="when it repeats; incident 024"),
    row("engine.stall_period", DERIVED, "s", "live",
        "spacing of such gaps if near-constant; s = mean spacing of at least 5 stalls in 5 min that varies less than "
        "20%; missing otherwise"),
    row("engine.stall_growth", DERIVED, "s/s", "live",
        "whether stalls get longer with age; s/s = slope of the longest stall of each 5 min over uptime, at least 5 of "
        "them, if the fit has R2 > 0.8 and the growth is two polls or more; else 0",
        warn="> 0", note="incident 025"),
    row("engine.stall_in_prefill", DERIVED, "ratio", "live",
        "whether stalls are prefills; ratio = stall time in which kv_cache_usage or prompt_tokens rose / all stall "
        "time; missing without a stall",
        warn="> 50%", note="proposal"),
    row("engine.kv_cache_usage", GAUGE, "ratio", "live",
        "KV blocks in use, evictable cache counted as free; mean over ranks",
        note="above 80% (llm-d EPP admission) or 90% (AIPerf), only with waiting or preemption: the SGLang guide "
             "calls above 90% good use"),
    row("engine.kv_cache_capacity", FACT, "tokens", "fact, live",
        "KV pool size, summed over data-parallel ranks", fold=Fold.SUM),
    row("engine.kv_pool", FACT, "bytes", "log", "KV pool size in memory, per GPU"),
    row("engine.kv_max_concurrency", FACT, "ratio", "fact, log",
        "requests of full length that the KV pool holds: kv_cache_capacity / max_model_len",
        warn="< 1", note="incident 026", fold=Fold.MIN),
    row("engine.kv_time_to_full", DERIVED, "s", "live",
        "time until the KV pool is full; s = (1 - kv_cache_usage) / slope(kv_cache_usage[5m]) if R2 > 0.9; missing if "
        "not rising",
        warn="< 10m", note="seed", fold=Fold.MIN),
    row("engine.preemptions", COUNTER, "requests", "live",
        "preempted or retracted requests", note="about 1 a minute is tolerable; SGLang guide"),
    row("engine.preemption_ratio", DERIVED, "ratio", "live",
        "preemptions per finished request; ratio = d(preemptions) / d(requests_finished) over 5 min; 1 if nothing "
        "finished and preemptions rose",
        warn="> 5%", note="seed; AIPerf counts any"),
    row("engine.prefix_query_rate", DERIVED, "tokens/s", "live",
        "prompt tokens looked up in the prefix cache a second; tokens/s = rate of the looked-up tokens"),
    row("engine.prefix_cache_hit_ratio", DERIVED, "ratio", "live",
        "share of looked-up prompt tokens found in the prefix cache; ratio = d(hit tokens) / d(looked-up tokens) over "
        "1 min (5 min below 1 request/s); missing without look-ups",
        note="a drop of more than half against the day's median; proposal"),
    row("engine.prefix_cache_lifetime_ratio", DERIVED, "ratio", "live",
        "the same since the start, for comparison only; ratio = hit tokens / looked-up tokens",
        note="more than 30 points above the ratio of the window; incident 047"),
    row("engine.prefix_first_policy", FACT, "0/1", "fact",
        "queue is ordered by cached prefix (SGLang lpm, dfs-weight)"),
    row("engine.spec_tokens", FACT, "tokens", "fact", "draft tokens per step (k)"),
    row("engine.spec_accept_ratio", DERIVED, "ratio", "live",
        "share of draft tokens accepted; ratio = d(accepted) / d(draft) over 1 min",
        note="below half of its baseline; proposal"),
    row("engine.spec_accept_length", GAUGE, "tokens", "live",
        "tokens per step including the bonus token", warn="< 1.3", note="proposal", fold=Fold.MEAN),
    row("engine.spec_deep_accept_ratio", DERIVED, "ratio", "live, log",
        "acceptance at the deepest two positions of a draft; ratio = d(accepted there) / (2 x d(drafts)) over 1 min; "
        "missing below 100 drafts",
        warn="< 1%", note="incident 068"),
    row("engine.lora_active", GAUGE, "count", "live",
        "distinct adapters used in the last 5 min of use", note="above engine.lora_slots; incident 045", fold=Fold.MAX),
    row("engine.lora_slots", FACT, "count", "fact, live", "adapters that fit on the device at once"),
    row("engine.kv_transfers_pending", GAUGE, "requests", "live",
        "requests in a KV transfer, preallocation or fetch stage",
        note="above 0 and unchanged for 10 min; incident 029"),
    row("engine.kv_transfer_time", HISTOGRAM, "s", "live", "one KV transfer"),
    row("engine.kv_transfer_failures", COUNTER, "events", "live",
        "failed or expired KV transfers", note="any new one; proposal"),
    row("engine.peer_disconnects", EVENT, "count", "log",
        "prefill or decode peers dropped", warn="> 0", note="incident 023"),
    row("engine.rpc_timeouts", EVENT, "count", "log",
        "calls to an executor or worker that timed out", warn="> 0", note="incident 065"),
    row("engine.oom_events", EVENT, "count", "log", "device out-of-memory errors", warn="> 0", note="proposal"),
    row("engine.oom_request", GAUGE, "bytes", "log", "size asked for in the last OOM message", fold=Fold.MAX),
    row("engine.oom_free", GAUGE, "bytes", "log", "free memory in the last OOM message", fold=Fold.MIN),
    row("engine.oom_reserved_free", GAUGE, "bytes", "log",
        "reserved but unallocated memory in the last OOM message",
        note="above engine.oom_request: fragmentation; kaito", fold=Fold.MAX),
    row("engine.compile_lines", EVENT, "count", "log",
        "kernel compile or tuning lines logged while serving", warn="> 0", note="incident 048"),
    row("engine.structured_share", GAUGE, "ratio", "log, live",
        "share of requests with a grammar or JSON schema; from a counter of them: d(of them) / d(requests_finished) "
        "over 5 min"),
    row("engine.multimodal_share", GAUGE, "ratio", "live, log",
        "share of requests with image, audio or video; from a counter of items: d(items) / d(requests_finished) over 5 "
        "min, 1 at the most, which is above 0 when there are some and too high where a request brings several"),
    row("engine.logprob_share", GAUGE, "ratio", "log", "share of requests that ask for logprobs"),
    row("engine.penalty_share", GAUGE, "ratio", "log, fact",
        "share of requests with penalties, logit bias or custom processors, defaults of the model included"),
    row("engine.parallel_samples", HISTOGRAM, "count", "live", "parameter n per request"),
    row("engine.prompt_length", HISTOGRAM, "tokens", "live", "prompt tokens per request"),
    row("engine.output_length", HISTOGRAM, "tokens", "live", "output tokens per request"),
    row("engine.response_size", HISTOGRAM, "bytes", "live",
        "bytes per HTTP response of the front-end", warn="mean > 1MiB", note="incident 022"),
    row("engine.frontend_cpu", GAUGE, "cores", "proc, live",
        "busiest front-end thread (HTTP, tokeniser, detokeniser); of the process where threads cannot be read",
        warn=">= 0.9", note="when held for 30 s; proposal", fold=Fold.MAX),
    row("engine.frontend_core_demand", DERIVED, "cores", "proc",
        "core that the front-end's hungriest thread uses or waits for; cores = highest host.process_core_demand of its "
        "front-ends", warn=">= 0.9", note="proposal", fold=Fold.MAX),
    row("engine.runqueue_ratio", DERIVED, "ratio", "proc",
        "time one of its processes was runnable and had no core; ratio = highest host.process_runqueue_ratio of them",
        warn="> 10%", note="proposal", fold=Fold.MAX),
    row("engine.core_cpu", GAUGE, "cores", "proc, live",
        "busiest scheduler / engine-core thread; of the process where threads cannot be read",
        warn=">= 0.9", note="when held for 30 s, and weak alone: it may spin on the GPU; proposal", fold=Fold.MAX),
    row("engine.frontend_process_cpu", GAUGE, "cores", "proc, live",
        "all threads of the busiest front-end process", fold=Fold.MAX),
    row("engine.core_process_cpu", GAUGE, "cores", "proc, live",
        "all threads of the busiest engine-core process", fold=Fold.MAX),
    row("engine.worker_cpu", GAUGE, "cores", "proc", "busiest model worker process", fold=Fold.MAX),
    row("engine.foreign_peers", GAUGE, "count", "proc",
        "remote addresses connected to the engine port that are neither a known gateway nor a scraper",
        warn="> 0", note="proposal"),
    row("engine.unknown_callers", GAUGE, "count", "proc",
        "connections to the engine in the last minute that lasted and that no watched program holds; unsupported while "
        "a watched one cannot be seen"),
    row("engine.model_flops", GAUGE, "FLOP/s", "live", "analytic FLOPs per GPU (opt-in)", fold=Fold.MEAN),
    row("engine.max_model_len", FACT, "tokens", "fact", "context limit"),
    row("engine.context_length", FACT, "tokens", "fact", "context the server was started with (llama.cpp, Ollama)"),
    row("engine.max_batched_tokens", FACT, "tokens", "fact", "token budget of one step"),
    row("engine.chunked_prefill", FACT, "0/1", "fact", "1 when long prompts are split"),
    row("engine.prefill_only", FACT, "0/1", "fact",
        "1 for a prefill worker, embedding or scoring model: no decode is expected"),
    row("engine.tensor_parallel", FACT, "count", "fact", "tensor-parallel size"),
    row("engine.data_parallel", FACT, "count", "fact", "data-parallel size"),
    row("engine.weight_share", DERIVED, "ratio", "fact, nvml",
        "part of a GPU that the weights take; ratio = weight bytes / (tensor_parallel x pipeline stages x "
        "gpu.mem_total), the bytes of one GPU as a worker logs them / smallest gpu.mem_total of the engine",
        note="below 15% with tensor_parallel of 4 or more; incident 054"),
    row("engine.gpu_memory_fraction", FACT, "ratio", "fact", "share of device memory the engine may take"),
    row("engine.cpu_offload", FACT, "bytes", "fact", "weights or KV kept in host memory"),
    row("engine.layers_on_gpu", FACT, "ratio", "fact, log",
        "layers on the device / all layers", warn="< 1", note="incident 059"),
    row("engine.kv_connector", FACT, "0/1", "fact", "KV transfer or offload connector configured"),
    row("engine.cpu_request", FACT, "cores", "fact", "CPU share the engine's container asked for"),
    row("engine.nccl_shm", FACT, "0/1", "log", "collectives go through host memory"),
    row("engine.rank_running", GAUGE, "requests", "live",
        "running requests of one rank", note="spread above 1.5; proposal", scope=Kind.RANK, fold=Fold.MAX),
    row("engine.rank_kv_cache_usage", GAUGE, "ratio", "live",
        "KV use of one rank",
        note="above 95% with another rank below 50%; incident 030", scope=Kind.RANK, fold=Fold.MAX),
    row("engine.rank_sync_wait", HISTOGRAM, "s", "live", "wait for the slowest rank per step", scope=Kind.RANK),
)
# fmt: on
