import { defineConfig } from 'vitest/config'

/** A whole run records every refusal: see `packages/server/test/record.ts`. */
const isRecorded = process.env.SCRIPTWARD_RECORD !== undefined
const takesPictures = process.env.SCRIPTWARD_PICTURES !== undefined

/** Tests of the client that run nothing. */
const WIRE = 'packages/client/test/{hmac,short-boxes,wire,wire-hello}.test.ts'
/** Pure functions, and the rules of the house: no service, no database, no interpreter. All of it takes seconds. */
const UNIT = ['packages/*/src/**/*.test.ts', 'scripts/*.test.ts', WIRE]
/** Tests of a feature that run a service stand beside its code too. */
const OF_SERVICE = 'packages/server/src/**/*.service.test.ts'
/** These run the interpreters of Lua and Luau. */
const OF_LUA = 'packages/obfuscator/src/**/*.lua.test.ts'
/** So that one file can be run in a clone where nothing was built. */
const BUILD = 'scripts/build-for-tests.ts'
/** So that no setting of the shell changes what is tested. */
const ENVIRONMENT = 'packages/server/test/environment.ts'

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 4,
    // Limits end what hangs. A busy machine may take ten times as long as a quiet one, so a test sets a limit of its own
    // only above these.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Used by `npm run test:nightly`, which fails if a function of the store was never called.
    coverage: {
      include: [
        'packages/server/src/{database,features/*/store}/**/*.ts',
        'packages/server/src/features/*/store.ts',
      ],
      // A thread of its own is not measured.
      exclude: ['packages/server/src/database/migrations/**', '**/*-thread.ts', '**/*.test.ts'],
      reporter: [['text', { skipFull: true }]],
      // A nightly run reports what was never called even if a test failed.
      reportOnFailure: true,
      reportsDirectory: '.tsbuild/coverage',
      thresholds: { functions: 100 },
    },
    projects: [
      // They share a process, since starting one takes longer than most of them run.
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
        // Only these need a database server, which takes two seconds to start.
        test: {
          name: 'service',
          // Loading the server anew for each file would take a third of the time of the run.
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
