export type { OperatorOptions } from './app/options/options.ts';
