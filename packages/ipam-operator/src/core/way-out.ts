/** What is known of the way from an interface to the internet, without which its public address is of no use. */
export type WayOut =
  /** Not looked at yet, not allowed to, or the cloud does not tell. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'open' }
  /** `why` names what a person would look at in the cloud. */
  | { readonly kind: 'closed'; readonly why: string };

/** What to tell about an attached address; undefined when there is nothing to tell. */
export function wayOutWarning(ip: string, way: WayOut): string | undefined {
  return way.kind === 'closed' ? `${ip} is attached, but ${way.why}` : undefined;
}
