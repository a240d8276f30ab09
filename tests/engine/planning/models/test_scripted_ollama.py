import http.client
import json
import urllib.request
from typing import Any

import pytest

from tests.engine.planning.models.servers.scripted_ollama import OllamaServer


def get(server: OllamaServer, path: str, body: dict[str, Any] | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    if body is None:
        connection.request("GET", path)
    else:
        connection.request("POST", path, json.dumps(body))
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return reply.status, content


def ask(server: OllamaServer, **options: Any) -> list[dict[str, Any]]:
    messages = [{"role": "user", "content": "12345678"}]
    body = {"model": "scripted", "messages": messages, "options": options}
    status, content = get(server, "/api/chat", body)
    assert status == 200
    return [json.loads(line) for line in content.splitlines()]


def test_the_answer_is_made_from_the_request_and_streamed():
    with OllamaServer(lambda body: f"{body['messages'][0]['content']} it is") as server:
        lines = ask(server)
    assert "".join(line["message"]["content"] for line in lines) == "12345678 it is"
    assert [line["done"] for line in lines] == [False] * 4 + [True]
    assert lines[-1]["done_reason"] == "stop"
    assert (lines[-1]["prompt_eval_count"], lines[-1]["eval_count"]) == (2, 4)


def test_an_answer_is_cut_at_num_predict():
    with OllamaServer(lambda body: "one two three four") as server:
        lines = ask(server, num_predict=2)
    assert lines[-1]["done_reason"] == "length"
    assert len(lines) == 3


def test_scripted_ollama_says_what_it_has():
    with OllamaServer(str, models=["a:latest", "b:7b"]) as server:
        assert get(server, "/") == (200, b"Ollama is running")
        assert json.loads(get(server, "/api/version")[1])["version"]
        for path, names in (("/api/tags", ["a:latest", "b:7b"]), ("/api/ps", ["a:latest"])):
            listed = json.loads(get(server, path)[1])["models"]
            assert [entry["model"] for entry in listed] == names
        assert get(server, "/api/show", {"model": "a"})[0] == 200
        assert get(server, "/api/nothing")[0] == 404


def test_models_load_on_empty_messages_and_unload():
    with OllamaServer(str, models=["a:latest", "b:7b"]) as server:
        for keep_alive, reason, loaded in (("5m", "load", True), (0, "unload", False)):
            body = {"model": "b:7b", "keep_alive": keep_alive, "stream": False}
            status, content = get(server, "/api/chat", body)
            assert (status, json.loads(content)["done_reason"]) == (200, reason)
            assert ("b:7b" in server.loaded) is loaded


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"model": "none", "messages": [1]}, 404, "model 'none' not found"),
        ({"messages": [1]}, 400, "model is required"),
        ({"model": "scripted", "think": True}, 400, "does not support thinking"),
    ],
)
def test_scripted_ollama_refuses_as_the_real_one_does(body, status, error):
    with OllamaServer(str) as server:
        found, content = get(server, "/api/chat", body)
    assert found == status
    assert error in json.loads(content)["error"]


def test_a_body_that_is_no_json_is_refused():
    with OllamaServer(str) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
        connection.request("POST", "/api/chat", "{")
        assert connection.getresponse().status == 400
        connection.close()


def test_ollama_server_stops_listening_after_its_context():
    with OllamaServer(str) as server:
        pass
    with pytest.raises(OSError, match=r"refused"):
        urllib.request.urlopen(server.url, timeout=5)
