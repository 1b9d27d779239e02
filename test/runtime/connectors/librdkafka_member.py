# A member of a Kafka group that uses librdkafka: librdkafka_member.py ADDRESS GROUP TOPIC STRATEGY
# Prints `assigned 0,1` after each rebalance and `record TEXT` for each record. Leaves the group at SIGTERM.

import signal
import sys

from confluent_kafka import Consumer

address, group, topic, strategy = sys.argv[1:]
consumer = Consumer(
    {
        "bootstrap.servers": address,
        "group.id": group,
        "partition.assignment.strategy": strategy,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
)
is_running = True


def stop(*_):
    global is_running
    is_running = False


def show(_, assigned):
    print("assigned", ",".join(str(each.partition) for each in assigned), flush=True)


signal.signal(signal.SIGTERM, stop)
consumer.subscribe([topic], on_assign=show)
while is_running:
    message = consumer.poll(0.1)
    if message is None or message.error() is not None:
        continue
    print("record", message.value().decode(), flush=True)
    consumer.commit(message, asynchronous=False)
consumer.close()
