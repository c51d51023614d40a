/** Overview of a script: the live version and its runs, how to run it, and the build report. */
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { BuildReport } from './build-report.tsx'
import { LiveVersion } from './live-version.tsx'
import { type Script, useVersion } from './queries.ts'
import { RunIt } from './run-it.tsx'
import { Executors, Outcomes } from './statistics.tsx'

/** Until a script has run, the next step is to send its loader to customers. */
export function Overview({ script }: { script: Script }) {
  const version = useVersion(script.id, script.version)
  const isNew = script.total_executions === 0
  const runIt = (
    <Panel title={text.scripts.runIt}>
      <RunIt script={script} />
    </Panel>
  )
  return (
    <>
      {isNew && runIt}
      <LiveVersion script={script} />
      <div className="two">
        <Outcomes script={script} />
        <Executors script={script} />
      </div>
      {!isNew && runIt}
      <Panel title={text.scripts.report} hint={text.scripts.reportOf(script.version)}>
        <QueryBoundary query={version}>
          {version.data && <BuildReport version={version.data} />}
        </QueryBoundary>
      </Panel>
    </>
  )
}
