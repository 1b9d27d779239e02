// The icons of all pages, drawn as lines in a 24 by 24 grid.

const paths = {
  overview: "M3 13h8V3H3zM13 21h8V11h-8zM3 21h8v-4H3zM13 3v4h8V3z",
  streams: "M2 8c3-3 5-3 8 0s5 3 8 0 3-2 4-2M2 16c3-3 5-3 8 0s5 3 8 0 3-2 4-2",
  routes: "M4 19h5a3 3 0 0 0 3-3V8a3 3 0 0 1 3-3h5M16 1l4 4-4 4",
  find: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM20 20l-4.7-4.7",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  done: "M5 12.5l4.5 4.5L19 7.5",
  book: "M4 5a2 2 0 0 1 2-2h14v15H6a2 2 0 0 0-2 2zM4 20a2 2 0 0 0 2 1h14",
  key: "M14.5 9.5L21 3M18 6l2 2M9 20a5 5 0 1 0 0-10 5 5 0 0 0 0 10z",
  inbox: "M3 13h5l1.5 3h5L16 13h5M5 5h14l2 8v6H3v-6z",
  people:
    "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c0-4 3-6 7-6s7 2 7 6M16 3.3a4 4 0 0 1 0 7.4M18 15.5c2.5.7 4 2.6 4 5.5",
  apps: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z",
  shield: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z",
  list: "M8 6h13M8 12h13M8 18h13M3.5 6h.01M3.5 12h.01M3.5 18h.01",
  rocket: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  page: "M6 3h8l5 5v13H6zM14 3v5h5M9 13h6M9 17h6",
  plus: "M12 5v14M5 12h14",
  pause: "M8 5v14M16 5v14",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** A decorative icon next to a text with the same meaning. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** The logo of the product: a gate that lets water through. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0f7c98" />
      <path d="M9 6v20M23 6v20M9 11h14" stroke="#fff" stroke-width="2.6" stroke-linecap="round" fill="none" />
      <path
        d="M4 20c3-2.4 5-2.4 8 0s5 2.4 8 0 5-2.4 8 0"
        stroke="#8fe3f5"
        stroke-width="2.6"
        stroke-linecap="round"
        fill="none"
      />
    </svg>
  );
}
