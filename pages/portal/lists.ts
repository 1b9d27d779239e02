// Lists that views show, asked for when a view opens and after each change.

import { useEffect, useState } from "preact/hooks";
import { orSay } from "../kit/toasts.tsx";

/** A list, and a function that asks for it again; `undefined` until the first answer. */
export function useAsked<T>(ask: () => Promise<T>): readonly [T | undefined, () => Promise<void>] {
  const [answer, setAnswer] = useState<T>();
  const refresh = () => orSay(async () => setAnswer(await ask()));
  useEffect(() => {
    void refresh();
  }, []);
  const again = async () => setAnswer(await ask());
  return [answer, again];
}
