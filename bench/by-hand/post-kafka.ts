// POST → mapping → Kafka: a request is answered when all replicas have its record.

import { send } from "./kafka.ts";
import { mapOrder } from "./order.ts";
import { serve } from "./server.ts";

serve((body, answer) => send({ value: mapOrder(body) }, answer));
