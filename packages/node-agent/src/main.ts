import { runProcess } from '@static-ip/shell/process';

await runProcess({ name: 'static-ip-agent', load: async () => (await import('./cli/program.ts')).runProgram });
