import type { Quota, StaticIpError } from '@static-ip/provider';
import type { Logger } from '@static-ip/shell';

/** From here on a person should ask for more, which takes AWS hours. */
const NEARLY_USED = 0.9;

export interface QuotaTelemetry {
  readonly onQuota: (quota: Quota) => void;
  readonly onFailure: (error: StaticIpError) => void;
}

/** Turns what is known of the quota into logs: what is as before is told to those who debug only. */
export function createQuotaTelemetry(log: Logger): QuotaTelemetry {
  let before: Quota | undefined;
  let isFailing = false;
  return {
    onQuota: (quota) => {
      const fields = { used: quota.used, limit: quota.limit, remark: quota.remark };
      if (isNearlyUsed(quota) && !isNearlyUsed(before)) log.warn('The quota of addresses is nearly used up', fields);
      else if (isEqual(quota, before)) log.debug('The quota of addresses is as before', fields);
      else log.info('The quota of addresses', fields);
      before = quota;
      isFailing = false;
    },
    onFailure: (err) => {
      const message = 'Cannot read the quota of addresses, trying again';
      if (isFailing) log.debug(message, { code: err.code, err });
      else log.warn(message, { code: err.code, err });
      isFailing = true;
    },
  };
}

function isNearlyUsed(quota: Quota | undefined): boolean {
  return quota?.limit !== undefined && quota.used >= quota.limit * NEARLY_USED;
}

function isEqual(a: Quota, b: Quota | undefined): boolean {
  return a.used === b?.used && a.limit === b.limit && a.remark === b.remark;
}
