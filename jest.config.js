/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/packages', '<rootDir>/examples'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' }, experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
      },
    ],
  },
  // Packages resolve to their sources, so that a test never runs against a stale build.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'import', 'default'] },
  globalSetup: '<rootDir>/packages/testkit/src/jest/global-setup.ts',
  reporters: ['default', '<rootDir>/packages/testkit/src/jest/closing-line-reporter.js'],
  maxWorkers: 2,
  testTimeout: 30_000,
};
