# Sends two messages by the generated client, and prints what comes back.

import queue
import sys

from client import ChatClient

answers = queue.Queue()
client = ChatClient(sys.argv[1])
client.register_message_handler(answers.put)
client.on_open = lambda _: answers.put("open")
client.connect()
assert answers.get(timeout=30) == "open"
for text in ("hello", "again"):
    client.send_talk_socket({"text": text})
    print(answers.get(timeout=30), flush=True)
