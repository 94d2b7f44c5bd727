import type { Asked, Route } from './facts.ts';

/** A way out in words. */
export function describeRoute(route: Asked<Route>): string {
  if (!route.ok) return route.why;
  const { device, gateway, table, source } = route.value;
  const parts = [
    `to the internet by ${device}`,
    ...(gateway === undefined ? [] : [`by way of ${gateway}`]),
    ...(table === undefined ? [] : [`table ${table}`]),
    ...(source === undefined ? [] : [`from ${source}`]),
  ];
  return parts.join(', ');
}
