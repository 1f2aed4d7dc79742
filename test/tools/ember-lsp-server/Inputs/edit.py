"""Opens two programs in ember-lsp-server and prints what an editor would show.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import subprocess
import sys
from typing import Any

GOOD = """func.func @f(%n: index, %a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  slc.for %i = %c0 to %n step %c1 {
    %v = slc.mem_str %a[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
  }
  return
}
"""
BAD = "func.func @f() {\n  slc.callback sometimes {\n  }\n  return\n}\n"


class Server:
    """A language server at the other end of two pipes."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            ["ember-lsp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def send(self, method: str, parameters: Any, request: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        if request is not None:
            message["id"] = request
        body = json.dumps(message).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def open(self, name: str, text: str) -> list[Any]:
        """Opens a program; the diagnostics that the server publishes for it."""
        document = {"uri": f"file:///{name}", "languageId": "mlir", "version": 0, "text": text}
        self.send("textDocument/didOpen", {"textDocument": document})
        return list(self.receive()["params"]["diagnostics"])


def main() -> int:
    server = Server()
    server.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 0)
    print("server:", server.receive()["result"]["serverInfo"].get("name"))
    for name, text in (("good.mlir", GOOD), ("bad.mlir", BAD)):
        diagnostics = server.open(name, text)
        print(f"{name}: {len(diagnostics)} diagnostics")
        for diagnostic in diagnostics:
            line = text.splitlines()[diagnostic["range"]["start"]["line"]]
            print(f"  {line.strip()}: {diagnostic['message']}")
    where = {"textDocument": {"uri": "file:///good.mlir"}, "position": {"line": 3, "character": 4}}
    server.send("textDocument/hover", where, 1)
    print("hover:", json.dumps(server.receive()["result"]))
    server.send("shutdown", None, 2)
    server.receive()
    server.send("exit", None)
    return server.process.wait(timeout=60)


if __name__ == "__main__":
    sys.exit(main())
