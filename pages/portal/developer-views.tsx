// What developers see: the catalogue, their requests and their keys.

import type { Offer, OwnKey, OwnRequest } from "../../runtime/portal/page/own-records.ts";
import { useAsked } from "../kit/asked.tsx";
import { confirmed, useLinkedDialog } from "../kit/dialogs.tsx";
import { Act, Badge, Empty, Heading, Time } from "../kit/parts.tsx";
import { goTo, linkTo } from "../kit/router.ts";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { askForAccess } from "./asking.tsx";
import { showCredential } from "./credential.tsx";
import { askOwn, type Listed } from "./interface.ts";
import { KeyUsage } from "./key-usage.tsx";

/** The name of something in the catalogue. */
export function offerName({ name, policy }: Pick<Offer, "name" | "policy">): string {
  return name || policy;
}

/** What access can be asked for. */
export function CatalogueView() {
  const offers = useAsked(() => askOwn<Listed<Offer>>("GET", "/catalogue"));
  const ask = useLinkedDialog(
    "ask",
    async (policy, signal) => {
      const offer = offers.answer?.Data.find((each) => each.policy === policy);
      if (offer === undefined) throw new Error("The catalogue has no such API.");
      const asked = await askForAccess(offer, signal);
      if (asked === undefined) return;
      await offers.refresh();
      if ("isRepeated" in asked) return say("You have asked for this already: see your requests.");
      const { credential } = asked;
      say(credential === null ? "Asked. An administrator has to approve it." : "You have access.");
      if (credential !== null) await showCredential(credential);
    },
    offers.answer !== undefined,
  );
  return (
    <>
      <Heading title="Catalogue">
        APIs and streams that you can ask for access to. Read their documentation, and try them with your key.
      </Heading>
      <Table
        id="catalogue"
        title="APIs"
        rows={offers.answer?.Data}
        asked={offers}
        keyOf={(offer) => `${offer.policy} ${offer.version} ${offer.name}`}
        textOf={(offer) => `${offer.name} ${offer.version} ${offer.description}`}
        columns={[
          { title: "Name", sort: offerName, cell: offerName },
          { title: "Version", sort: ({ version }) => version, cell: ({ version }) => version },
          { title: "What it is", cell: ({ description }) => description },
          {
            title: "Access",
            cell: (offer) =>
              offer.has_access ? (
                <Badge tone="good">You have access</Badge>
              ) : offer.request !== "" ? (
                <a href={linkTo("requests")} aria-label={`Already requested: ${offerName(offer)}`}>
                  <Badge tone="warn">Already requested</Badge>
                </a>
              ) : (
                <Act
                  text="Ask for access"
                  about={offerName(offer)}
                  look="small main"
                  work={() => ask(offer.policy)}
                />
              ),
          },
          {
            title: "Documentation",
            isForActs: true,
            cell: (offer) =>
              offer.has_documentation && (
                <a
                  class="button small"
                  href={linkTo("docs", offer.policy)}
                  aria-label={`Read about ${offerName(offer)}`}
                >
                  Read
                </a>
              ),
          },
        ]}
        empty={
          <Empty title="The catalogue is empty.">
            An administrator puts APIs into it. What is not shown there cannot be asked for.
          </Empty>
        }
      />
    </>
  );
}

/** What the developer has asked for. */
export function OwnRequestsView() {
  const requests = useAsked(() => askOwn<Listed<OwnRequest>>("GET", "/requests?p=-1"));
  const nameOf = ({ name, apply_policies: policies = [] }: OwnRequest) => name || policies.join(", ");
  const takeBack = (request: OwnRequest) =>
    confirmed({ title: `Take back the request for ${nameOf(request)}?`, yes: "Take it back" }, async () => {
      await askOwn("DELETE", `/requests/${encodeURIComponent(request.id ?? "")}`);
      await requests.refresh();
      say("Taken back.");
    });
  return (
    <>
      <Heading title="Your requests">What you have asked for, and whether it was approved.</Heading>
      <Table
        id="own"
        title="Requests"
        rows={requests.answer?.Data}
        asked={requests}
        keyOf={({ id = "" }) => id}
        textOf={nameOf}
        columns={[
          { title: "Asked for", sort: nameOf, cell: nameOf },
          {
            title: "On",
            sort: ({ date_created: on = "" }) => on,
            cell: ({ date_created: on = "" }) => <Time at={on} only="date" />,
          },
          { title: "State", sort: stateOf, cell: (request) => <RequestState request={request} /> },
          {
            title: "Acts",
            isForActs: true,
            cell: (request) =>
              request.approved !== true && (
                <Act text="Take back" about={nameOf(request)} look="small" work={() => takeBack(request)} />
              ),
          },
        ]}
        empty={
          <Empty title="You have not asked for anything yet." next={<a href="#/">Open the catalogue</a>}>
            Choose an API in the catalogue and ask for access.
          </Empty>
        }
      />
    </>
  );
}

/** The state of a request, in a word. */
export function stateOf({ approved }: { readonly approved?: boolean }): string {
  return approved === true ? "approved" : "waiting";
}

/** The same in colour. */
export function RequestState({ request }: { readonly request: { readonly approved?: boolean } }) {
  return <Badge tone={request.approved === true ? "good" : "warn"}>{stateOf(request)}</Badge>;
}

/** The keys of the developer. */
export function KeysView() {
  const keys = useAsked(() => askOwn<Listed<OwnKey>>("GET", "/keys"));
  const path = ({ id }: OwnKey) => `/keys/${encodeURIComponent(id)}`;
  const rotate = (key: OwnKey) =>
    confirmed(
      {
        title: `Replace ${key.prefix}… by a new key?`,
        text: "The present key ends within a second, and with it what is connected by it.",
        yes: "Replace it",
      },
      async () => {
        const credential = await askOwn<Readonly<Record<string, string>>>("POST", `${path(key)}/rotate`);
        await keys.refresh();
        await showCredential(credential);
      },
    );
  const revoke = (key: OwnKey) =>
    confirmed(
      {
        title: `Revoke ${key.prefix}…?`,
        text: "It works for a second at most, and cannot be restored.",
        yes: "Revoke it",
      },
      async () => {
        await askOwn("DELETE", path(key));
        await keys.refresh();
        say("The key is revoked.");
      },
    );
  return (
    <>
      <Heading title="Your keys">
        Keys are kept as hashes. The beginning of the hash tells them apart; the key itself was shown once.
      </Heading>
      <Table
        id="keys"
        title="Keys"
        rows={keys.answer?.Data}
        asked={keys}
        keyOf={({ id }) => id}
        textOf={({ prefix, policies }) => `${prefix} ${policies.join(" ")}`}
        columns={[
          {
            title: "Hash begins with",
            sort: ({ prefix }) => prefix,
            cell: ({ prefix }) => <code>{prefix}…</code>,
          },
          { title: "Kind", sort: ({ kind }) => kind, cell: ({ kind }) => kind },
          { title: "Policies", cell: ({ policies }) => policies.join(", ") },
          { title: "Limits", cell: (key) => <KeyUsage own={key} /> },
          {
            title: "Expires",
            sort: ({ expires }) => expires || Number.MAX_SAFE_INTEGER,
            cell: ({ expires }) => (expires > 0 ? <Time at={expires * 1000} /> : "never"),
          },
          {
            title: "Acts",
            isForActs: true,
            cell: (key) => (
              <div class="acts">
                {key.kind === "key" && (
                  <Act text="Replace" about={key.prefix} look="small" work={() => rotate(key)} />
                )}
                <Act text="Revoke" about={key.prefix} look="small danger" work={() => revoke(key)} />
              </div>
            ),
          },
        ]}
        empty={
          <Empty
            title="You have no keys yet."
            next={
              <button type="button" onClick={() => goTo()}>
                Open the catalogue
              </button>
            }
          >
            Ask for access to an API; its key is shown when that is approved.
          </Empty>
        }
      />
    </>
  );
}
