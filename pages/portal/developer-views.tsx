// The developers' views: the catalogue, their requests and their keys.

import type { Offer, OwnKey, OwnRequest } from "../../runtime/portal/page/own-records.ts";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { useFetched } from "../kit/fetched.tsx";
import { Form, type Values } from "../kit/forms.tsx";
import { Act, Badge, Empty, Heading, Time } from "../kit/parts.tsx";
import { linkTo } from "../kit/router.ts";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { askForAccess, broughtIn, Proof } from "./asking.tsx";
import { authTypes, issued, showCredential } from "./credential.tsx";
import { deleteShown } from "./deletion.ts";
import type { Listed } from "./interface.ts";
import { KeyUsage } from "./key-usage.tsx";
import { t } from "./messages.ts";
import { ownerCrumbs, useOwner } from "./owner.tsx";

/** Returns the name of a catalogue entry. */
export function offerName({ name, policy }: Pick<Offer, "name" | "policy">): string {
  return name || policy;
}

/** The view of the catalogue. */
export function CatalogueView() {
  const owner = useOwner();
  const offers = useFetched(() => owner.ask<Listed<Offer>>("GET", "/catalogue"));
  const ask = useLinkedDialog(
    "ask",
    async (policy, signal) => {
      const offer = offers.answer?.Data.find((each) => each.policy === policy);
      if (offer === undefined) throw new Error(t("catalogue.noSuch"));
      const access = await askForAccess(owner, offer, signal);
      if (access === undefined) return;
      await offers.refresh();
      if ("isRepeated" in access) return say(t("catalogue.repeated"));
      const { credential } = access;
      say(credential === null ? t("catalogue.asked") : t("catalogue.access"));
      if (credential !== null) await showCredential(credential, offer.auth_type);
    },
    offers.answer !== undefined,
  );
  return (
    <>
      <Heading title={t("word.catalogue")} {...ownerCrumbs(owner)}>
        {t("catalogue.text")}
      </Heading>
      <Table
        id="catalogue"
        title={t("word.apis")}
        rows={offers.answer?.Data}
        fetched={offers}
        keyOf={(offer) => `${offer.policy} ${offer.version} ${offer.name}`}
        textOf={(offer) => `${offer.name} ${offer.version} ${offer.description}`}
        columns={[
          { title: t("word.name"), sort: offerName, cell: offerName },
          { title: t("word.version"), sort: ({ version }) => version, cell: ({ version }) => version },
          { title: t("word.description"), cell: ({ description }) => description },
          {
            title: t("catalogue.accessColumn"),
            cell: (offer) =>
              offer.has_access ? (
                <Badge tone="good">{t(owner.team ? "catalogue.teamHasAccess" : "catalogue.hasAccess")}</Badge>
              ) : offer.request !== "" ? (
                <a
                  href={owner.link("requests")}
                  aria-label={t("catalogue.alreadyFor", { name: offerName(offer) })}
                >
                  <Badge tone="warn">{t("catalogue.already")}</Badge>
                </a>
              ) : (
                <Act
                  text={t("asking.ask")}
                  about={offerName(offer)}
                  look="small main"
                  work={() => ask(offer.policy)}
                />
              ),
          },
          {
            title: t("word.documentation"),
            isForActs: true,
            cell: (offer) =>
              offer.has_documentation && (
                <a
                  class="button small"
                  href={linkTo("docs", offer.policy)}
                  aria-label={t("catalogue.readAbout", { name: offerName(offer) })}
                >
                  {t("nav.read")}
                </a>
              ),
          },
        ]}
        empty={<Empty title={t("catalogue.empty")}>{t("catalogue.emptyText")}</Empty>}
      />
    </>
  );
}

/** The view of the developer's requests. */
export function OwnRequestsView() {
  const owner = useOwner();
  const { ask, link } = owner;
  const requests = useFetched(() => ask<Listed<OwnRequest>>("GET", "/requests?p=-1"));
  const nameOf = ({ name, apply_policies: policies = [] }: OwnRequest) => name || policies.join(", ");
  const takeBack = (request: OwnRequest) =>
    confirmed(
      { title: t("requests.takeBackTitle", { name: nameOf(request) }), yes: t("requests.takeItBack") },
      async () => {
        await deleteShown(ask, `/requests/${encodeURIComponent(request.id ?? "")}`, request);
        say(t("requests.takenBack"));
      },
      requests.refresh,
    );
  return (
    <>
      <Heading title={t(owner.team ? "word.requests" : "nav.requests")} {...ownerCrumbs(owner)}>
        {t("requests.text")}
      </Heading>
      <Table
        id="own"
        title={t("word.requests")}
        rows={requests.answer?.Data}
        fetched={requests}
        keyOf={({ id = "" }) => id}
        textOf={nameOf}
        columns={[
          { title: t("word.askedFor"), sort: nameOf, cell: nameOf },
          {
            title: t("word.on"),
            sort: ({ date_created: on = "" }) => on,
            cell: ({ date_created: on = "" }) => <Time at={on} only="date" />,
          },
          { title: t("word.state"), sort: stateOf, cell: (request) => <RequestState request={request} /> },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (request) =>
              request.approved !== true && (
                <Act
                  text={t("requests.takeBack")}
                  about={nameOf(request)}
                  look="small"
                  work={() => takeBack(request)}
                />
              ),
          },
        ]}
        empty={
          <Empty title={t("requests.none")} next={<a href={link()}>{t("requests.openCatalogue")}</a>}>
            {t("requests.choose")}
          </Empty>
        }
      />
    </>
  );
}

/** Returns the state of a request in a word. */
export function stateOf({ approved }: { readonly approved?: boolean }): string {
  return t(approved === true ? "requests.approved" : "requests.waiting");
}

/** Shows the state of a request as a badge. */
export function RequestState({ request }: { readonly request: { readonly approved?: boolean } }) {
  return <Badge tone={request.approved === true ? "good" : "warn"}>{stateOf(request)}</Badge>;
}

/** Replaces a key after the developer has confirmed it and supplied what the new key needs. */
function askForReplacement<T>(
  { kind, prefix }: OwnKey,
  replace: (proof: Values) => Promise<T>,
): Promise<T | undefined> {
  return openDialog<T>(t("keys.replaceTitle", { prefix }), (close) => (
    <>
      <p>{t("keys.replaceText")}</p>
      <Form
        id="replacement"
        submit={t("keys.replaceIt")}
        send={async (values) => close(await replace(values))}
        close={close}
      >
        <Proof kind={kind === "client" ? "" : authTypes[kind]} isNext />
      </Form>
    </>
  ));
}

/** The view of the developer's keys. */
export function KeysView() {
  const owner = useOwner();
  const { ask, link } = owner;
  const keys = useFetched(() => ask<Listed<OwnKey>>("GET", "/keys"));
  const path = ({ id }: OwnKey) => `/keys/${encodeURIComponent(id)}`;
  const rotate = async (key: OwnKey) => {
    const replace = (proof: Values) =>
      issued(ask<Readonly<Record<string, string>>>("POST", `${path(key)}/rotate`, broughtIn(proof)));
    const credential = await askForReplacement(key, replace);
    // Also after a lost response. The credential does not wait for the list.
    void keys.refresh();
    if (credential === undefined) return;
    await showCredential(credential, authTypes[key.kind]);
  };
  const revoke = (key: OwnKey) =>
    confirmed(
      {
        title: t("keys.revokeTitle", { prefix: key.prefix }),
        text: t("keys.revokeText"),
        yes: t("keys.revokeIt"),
      },
      async () => {
        await deleteShown(ask, path(key), key);
        say(t("keys.revoked"));
      },
      keys.refresh,
    );
  return (
    <>
      <Heading title={t(owner.team ? "word.keys" : "nav.keys")} {...ownerCrumbs(owner)}>
        {t("keys.text")}
      </Heading>
      <Table
        id="keys"
        title={t("word.keys")}
        rows={keys.answer?.Data}
        fetched={keys}
        keyOf={({ id }) => id}
        textOf={({ prefix, policies }) => `${prefix} ${policies.join(" ")}`}
        columns={[
          {
            title: t("keys.hash"),
            sort: ({ prefix }) => prefix,
            cell: ({ prefix }) => <code>{prefix}…</code>,
          },
          { title: t("keys.kind"), sort: ({ kind }) => kind, cell: ({ kind }) => t(`keys.kind.${kind}`) },
          { title: t("word.policies"), cell: ({ policies }) => policies.join(", ") },
          { title: t("keys.limits"), cell: (key) => <KeyUsage own={key} /> },
          {
            title: t("keys.expires"),
            sort: ({ expires }) => expires || Number.MAX_SAFE_INTEGER,
            cell: ({ expires }) => (expires > 0 ? <Time at={expires * 1000} /> : t("word.never")),
          },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (key) => (
              <div class="acts">
                <Act text={t("keys.replace")} about={key.prefix} look="small" work={() => rotate(key)} />
                <Act
                  text={t("keys.revoke")}
                  about={key.prefix}
                  look="small danger"
                  work={() => revoke(key)}
                />
              </div>
            ),
          },
        ]}
        empty={
          <Empty
            title={t("keys.none")}
            next={
              <a class="button" href={link()}>
                {t("requests.openCatalogue")}
              </a>
            }
          >
            {t("keys.noneText")}
          </Empty>
        }
      />
    </>
  );
}
