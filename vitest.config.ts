import { defineConfig } from 'vitest/config'
import { recordPlugin } from './scripts/record-plugin.ts'

/** A whole run records what it meets: `packages/server/test/record.ts` tells how. */
const isRecorded = process.env.SCRIPTWARD_RECORD !== undefined

export default defineConfig({
  plugins: isRecorded ? [recordPlugin()] : [],
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // A browser that stumbled once on a busy machine holds nobody up; the report names who needed a second run.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'tools',
          include: [
            'packages/{obfuscator,client,sdk,cli,dashboard}/{src,test}/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
        },
      },
      {
        extends: true,
        // Only these need a database server, which takes two seconds to start.
        test: {
          name: 'service',
          include: ['packages/server/{src,test}/**/*.test.ts', 'test/**/*.test.ts'],
          globalSetup: 'packages/server/test/postgres.ts',
          setupFiles: isRecorded ? ['packages/server/test/record-setup.ts'] : [],
        },
      },
    ],
  },
})
