export { runProcess } from './run-process.ts';
export type { Program } from './run-process.ts';
