/** Under this name the server keeps what we wrote. */
export const FIELD_MANAGER = 'static-ip';

/** Who we are in Events. */
export const EVENT_SOURCE = 'static-ip/node-agent';

/** Type of the pod condition that says whether a pod really leaves with its own address. */
export const EGRESS_VERIFIED = 'eip.materialize.cloud/egress-verified';
