import type { Ec2Call } from './core/step.ts';
import { violationOf } from './core/violations.ts';
import type { Violation } from './core/violations.ts';

/**
 * The rule broken by a call that is on its way together with another of the same caller: two claims that compete for one
 * address or one target inside one program mean that it keeps no reservations.
 */
export function judgeTogether(call: Ec2Call, others: Iterable<Ec2Call>): Violation[] {
  if (call.action !== 'AssociateAddress') return [];
  const violations: Violation[] = [];
  for (const other of others) {
    if (other.action !== call.action || other.principal !== call.principal) continue;
    const sameAddress = other.params['AllocationId'] === call.params['AllocationId'];
    const sameTarget = targetOf(other) === targetOf(call);
    if (sameAddress && !sameTarget) {
      violations.push(
        violationOf(call, 'two-targets-one-address', `a call for ${targetOf(other)} was still on its way`),
      );
    } else if (sameTarget && !sameAddress) {
      violations.push(
        violationOf(
          call,
          'two-addresses-one-target',
          `a call with ${other.params['AllocationId']} was still on its way`,
        ),
      );
    }
  }
  return violations;
}

function targetOf({ params }: Ec2Call): string {
  return `${params['NetworkInterfaceId'] ?? params['InstanceId']}/${params['PrivateIpAddress'] ?? 'primary'}`;
}
