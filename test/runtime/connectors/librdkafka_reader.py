# Prints the records of partition 0 of a topic from the first one on, as one line of JSON each: bytes as base64.
# python3 librdkafka_reader.py BROKER TOPIC COUNT
import base64
import json
import sys

from confluent_kafka import Consumer, TopicPartition


def encoded(block):
    return None if block is None else base64.b64encode(block).decode()


broker, topic, count = sys.argv[1:4]
settings = {
    "bootstrap.servers": broker,
    "group.id": "reader",
    "enable.auto.commit": False,
    "isolation.level": "read_committed",
    "check.crcs": True,
}
consumer = Consumer(settings)
consumer.assign([TopicPartition(topic, 0, 0)])
for _ in range(int(count)):
    record = None
    while record is None:
        record = consumer.poll(1)
    if record.error():
        sys.exit(str(record.error()))
    headers = [[name, encoded(value)] for name, value in record.headers() or []]
    place = {"offset": record.offset(), "time": record.timestamp()[1]}
    body = {"key": encoded(record.key()), "value": encoded(record.value())}
    print(json.dumps({**place, **body, "headers": headers}), flush=True)
consumer.close()
