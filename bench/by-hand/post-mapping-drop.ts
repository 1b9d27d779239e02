// POST → mapping → drop.

import { mapOrder } from "./order.ts";
import { serve } from "./server.ts";

serve((body, answer) => {
  mapOrder(body);
  answer(200);
});
