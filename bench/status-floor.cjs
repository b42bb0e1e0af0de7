// What any status of this design must do, and nothing else: node, one read of the registry, one tmux client.
//   argv: DATABASE SOCKET
const { spawnSync } = require('node:child_process');
const Database = require('better-sqlite3');

const [database, socket] = process.argv.slice(2);
const db = new Database(database, { readonly: true });
const rows = db.prepare('SELECT data FROM sessions').all();
const { stdout } = spawnSync('tmux', ['-S', socket, 'list-panes', '-a', '-F', '#{pane_id}'], {
  encoding: 'utf8',
});
if (rows.length === 0 || stdout === '') process.exitCode = 1;
