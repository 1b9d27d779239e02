// Metadata of requests that is sent on as headers of requests and responses.

import type { Campaign } from "../campaign.ts";
import { type Answer, http2Caller, rawCaller } from "./callers.ts";
import { startHeadersGateway } from "./document.ts";
import { headersOf, startRecorder } from "./recorder.ts";
import { type MadeRequest, mistakesIn, requestsOf } from "./requests.ts";

/** Requests have their own content type: that of the message. */
const ofRequests = new Set(["content-type"]);

/** The number of requests in a round, for each of the two protocols. */
const requestsOfRound = 4;

/** The campaign that `test/review` calls `headers`. */
export const headers: Campaign = {
  claim: "only what came as a header leaves as one, and what only a document may set never does by a pattern",
  async prepare() {
    const recorder = await startRecorder();
    const started = await startHeadersGateway({ RECORDER: recorder.url });
    const callers = { "HTTP/1.1": rawCaller(started), "HTTP/2": await http2Caller(started) };

    /** Returns what is wrong with the effects of a request. */
    async function mistakesOf(kind: string, request: MadeRequest, caller: keyof typeof callers) {
      const before = recorder.heads.length;
      const answer = await callers[caller].ask(kind, request);
      const heads = recorder.heads.slice(before);
      if (kind === "target") return mistakesInTarget(heads[0] ?? "", request);
      const sent = heads.flatMap((head) => mistakesIn(headersOf(head), request, ofRequests));
      if (kind === "reply") return [...sent, ...mistakesInReply(answer, request)];
      if (heads.length === 0) return [`nothing was sent, and ${answer.status} answered`];
      return [...sent, ...mistakesIn(answer.headers, { ...request, headers: [] })];
    }

    return {
      async round(seed) {
        const findings: string[] = [];
        let attempts = 0;
        for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
          for (const request of requestsOf(seed, requestsOfRound, protocol === "HTTP/2")) {
            for (const kind of ["call", "copies", "target", "dead", "reply"]) {
              attempts += 1;
              const mistakes = await mistakesOf(kind, request, protocol);
              findings.push(
                ...mistakes.map(
                  (mistake) => `${protocol} /${kind}: ${mistake} of ${JSON.stringify(request)}`,
                ),
              );
            }
          }
        }
        return { attempts, findings };
      },
      async close() {
        for (const caller of Object.values(callers)) caller.close();
        await started.gateway.program.stop();
        await recorder.close();
      },
    };
  },
};

/** Checks that the target is `/target/VALUE/end?first=VALUE&second=VALUE&third=3`, with each value at its place. */
function mistakesInTarget(head: string, { path }: MadeRequest): readonly string[] {
  const [, target = ""] = head.split(" ");
  const url = URL.parse(target, "http://recorder");
  const segments = url?.pathname.split("/").map(decodeURIComponent);
  const isPath = JSON.stringify(segments) === JSON.stringify(["", "target", path, "end"]);
  const query = { first: path, second: path, third: "3" };
  const isQuery = JSON.stringify(Object.fromEntries(url?.searchParams ?? [])) === JSON.stringify(query);
  return isPath && isQuery ? [] : [`asked for ${JSON.stringify(target)}`];
}

function mistakesInReply(answer: Answer, request: MadeRequest): readonly string[] {
  const mistakes = [...mistakesIn(answer.headers, request)];
  const headerOf = (wanted: string) =>
    answer.headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";
  if (answer.status !== 200) mistakes.push(`answered with ${answer.status}`);
  if (headerOf("x-content-type-options") !== "nosniff") mistakes.push("answered without nosniff");
  if (/html|xml|multipart/i.test(headerOf("content-type")))
    mistakes.push(`answered as ${headerOf("content-type")}`);
  return mistakes;
}
