// POST → mapping → Kafka: responds when all replicas have the record.

import { send } from "./kafka.ts";
import { mapOrder } from "./order.ts";
import { serve } from "./server.ts";

serve((body, answer) => send({ value: mapOrder(body) }, answer));
