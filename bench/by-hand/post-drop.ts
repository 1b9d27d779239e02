// POST → drop.

import { serve } from "./server.ts";

serve((_body, answer) => answer(200));
