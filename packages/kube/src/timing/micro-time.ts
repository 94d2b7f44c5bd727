/**
 * Kubernetes MicroTime: RFC 3339 with exactly six fractional digits. The server refuses any other number of digits in
 * a Lease (https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/micro_time.go).
 * @throws RangeError for a time that no date has.
 */
export function formatMicroTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
