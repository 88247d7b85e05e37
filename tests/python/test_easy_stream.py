# SPDX-License-Identifier: MIT
"""acl.easy: streams, events, graphs."""

import gc
import threading

import pytest

from acl import easy


def test_events_take_time(npu):
    with npu.stream() as s:
        begin = s.record()
        npu.zeros(1 << 16).fill(1, stream=s)
        end = s.record()
        end.synchronize()
        assert begin.done and end.done
        assert end - begin >= 0
        assert "Event 0x" in repr(end) and "<table>" in end._repr_html_()
    assert s.closed and repr(s) == "<Stream, closed>"


def test_event_that_was_not_recorded(npu):
    event = npu.event()
    assert not event.done
    with pytest.raises(easy.AclError) as caught:
        event - npu.event()
    assert caught.value.function == "acl.rt.event_elapsed_time" and caught.value.sentence


def test_streams_wait_for_each_other(npu):
    x, y = npu.zeros(1 << 16, "int32"), npu.empty(1 << 16, "int32")
    a, b = npu.stream(), npu.stream()
    x.fill(7, stream=a)
    b.wait(a.record())
    y.copy_from(x, stream=b)
    b.synchronize()
    a.synchronize()
    assert y[100] == 7 and a.done and b.done
    b.close()
    a.close()


def test_with_statement_chooses_the_stream(npu):
    x = npu.empty(4, "int32")
    event = npu.event()
    with npu.stream() as s:
        event.record()
        assert s._queued == 1 and npu.default_stream._queued == 0
    event.record()
    assert npu.default_stream._queued == 1
    npu.default_stream.synchronize()
    npu.default_stream.close()
    assert not npu.default_stream.closed
    assert x.shape == (4,)


def test_stream_of_another_device_object(npu):
    with easy.Device(0) as other:
        with pytest.raises(ValueError, match="this stream belongs to device 0"):
            npu.zeros(2).fill(1, stream=other.stream())


def test_closed_stream(npu):
    s = npu.stream()
    s.close()
    s.close()
    with pytest.raises(RuntimeError, match="this Stream was given back"):
        s.synchronize()


def test_priority(npu, runtime):
    with npu.stream(priority=2) as s:
        assert runtime.rt.stream_get_priority(s.handle) == (2, 0)


def test_other_threads_need_nothing(npu):
    results = []

    def work():
        with npu.stream() as s:
            x = npu.empty(64, "int32")
            x.fill(3, stream=s)
            s.synchronize()
            results.append(sum(x.tolist()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [192] * 4


def test_timeout(npu):
    npu.synchronize(timeout=60)
    with npu.stream() as s:
        s.synchronize(timeout=60)


def test_graph_runs_many_times(npu):
    x, y = npu.full(4, 1, "int32"), npu.zeros(4, "int32")
    with npu.capture() as graph:
        y.copy_from(x, stream=graph._stream)
        assert "recording" in repr(graph)
    assert y.tolist() == [0] * 4
    graph.run()
    assert y.tolist() == [1] * 4
    x.fill(5)
    graph.run(times=3)
    assert y.tolist() == [5] * 4 and "recorded" in repr(graph) and "<table>" in graph._repr_html_()


def test_graph_keeps_its_arrays(npu):
    target = npu.zeros(1 << 16, "int32")
    with npu.capture() as graph:
        source = npu.empty(1 << 16, "int32")
        source.fill(9, stream=graph._stream)
        target.copy_from(source, stream=graph._stream)
        del source
    gc.collect()
    graph.run()
    assert target[12345] == 9


def test_arrays_that_go_while_a_graph_is_recorded(npu):
    temporary = npu.zeros(1 << 20)
    s = npu.stream()
    temporary.fill(1, stream=s)
    target = npu.zeros(4, "int32")
    with npu.capture() as graph:
        # Waiting for the stream s to give the memory back would spoil the recording.
        del temporary
        gc.collect()
        target.fill(3, stream=graph._stream)
    graph.run()
    assert target.tolist() == [3] * 4
    before = npu.memory[0]
    npu.empty(1)
    assert npu.memory[0] > before


def test_graph_that_was_not_recorded(npu):
    with pytest.raises(RuntimeError, match="this graph is not recorded"):
        npu.capture().run()
    with npu.capture() as graph:
        pass
    with pytest.raises(RuntimeError, match="a graph is recorded once"):
        graph.__enter__()


def test_error_in_a_recording(npu):
    with pytest.raises(ZeroDivisionError):
        with npu.capture() as graph:
            1 / 0
    assert npu._captures == 0 and graph._stream._graph is None
