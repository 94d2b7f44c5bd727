import { runProcess } from '@static-ip/shell/process';

await runProcess({ name: 'ipam-operator', load: async () => (await import('./cli/program.ts')).runProgram });
