import { defineConfig } from 'vitest/config'

/** A complete run records every error that tests cause. See `packages/server/test/record.ts`. */
const isRecorded = process.env.SCRIPTWARD_RECORD !== undefined
const takesPictures = process.env.SCRIPTWARD_PICTURES !== undefined

/** Client tests that start no interpreter. */
const WIRE = 'packages/client/test/{hmac,short-boxes,wire,wire-hello}.test.ts'
/**
 * Tests of pure functions and project rules. They need no server, database or interpreter, and take seconds
 * in total.
 */
const UNIT = ['packages/*/src/**/*.test.ts', 'scripts/*.test.ts', WIRE]
/** Feature tests that run a server are also next to the feature's code. */
const OF_SERVICE = 'packages/server/src/**/*.service.test.ts'
/** Tests that run Lua and Luau interpreters. */
const OF_LUA = 'packages/obfuscator/src/**/*.lua.test.ts'
/** Lets a single file run in a clone where nothing has been built. */
const BUILD = 'scripts/build-for-tests.ts'
/** Prevents the shell's settings from affecting the tests. */
const ENVIRONMENT = 'packages/server/test/environment.ts'

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 4,
    // These limits end tests that hang. A busy machine may take ten times as long as an idle one, so a test
    // should set its own limits only above these.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Used by `npm run test:nightly`, which fails if any store function was never called.
    coverage: {
      include: [
        'packages/server/src/{database,features/*/store}/**/*.ts',
        'packages/server/src/features/*/store.ts',
      ],
      // Coverage does not include separate threads.
      exclude: ['packages/server/src/database/migrations/**', '**/*-thread.ts', '**/*.test.ts'],
      reporter: [['text', { skipFull: true }]],
      // Even if a test failed, a nightly run reports functions that were never called.
      reportOnFailure: true,
      reportsDirectory: '.tsbuild/coverage',
      thresholds: { functions: 100 },
    },
    projects: [
      // These tests share a process, because starting a process takes longer than running most of them.
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT,
          exclude: [OF_SERVICE, OF_LUA],
          isolate: false,
          globalSetup: BUILD,
        },
      },
      {
        extends: true,
        test: {
          name: 'tools',
          include: [OF_LUA, 'packages/{obfuscator,client,cli}/test/**/*.test.ts'],
          exclude: [WIRE],
          isolate: false,
          globalSetup: BUILD,
          setupFiles: [ENVIRONMENT, 'packages/obfuscator/test/print-seed.ts'],
        },
      },
      {
        extends: true,
        // Only these tests need a database server, which takes two seconds to start.
        test: {
          name: 'service',
          // Loading the server again for each file would take a third of the run's time.
          isolate: false,
          include: [OF_SERVICE, 'packages/server/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: takesPictures ? [] : ['test/dashboard/pictures.test.ts'],
          globalSetup: [BUILD, 'packages/server/test/postgres.ts'],
          setupFiles: [ENVIRONMENT, ...(isRecorded ? ['packages/server/test/record-setup.ts'] : [])],
        },
      },
    ],
  },
})
