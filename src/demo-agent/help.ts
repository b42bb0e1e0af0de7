export const HELP = `demo-agent: a small agent CLI without a model, for trying and testing mam

usage: demo-agent [options]
       demo-agent auth status

  --session-id UUID | --resume UUID   the conversation; a random new one without
  --settings FILE                     hooks, in Claude Code's form
  -n, --name NAME                     shown in the header
  --permissions skip|ask              default ask
  --model M

For tests
  --log-bytes FILE    --env-dump FILE     --ghost TEXT        --no-hooks
  --absorb-ms N       --absorb-count N    --boot-ms N         --never-ready
  --slash-menu        --eat-command       --vanish-once       --lie-clear
  --crash-on-start N  --dialog-lag-ms N  --dialog-on-paste
  --dialog trust|trust-first-yes|login    --exit-on-resume TEXT
  --unknown-resume error|fresh            --tree              --leave-shell
  --still             --boot-until FILE

In a prompt: [[say TEXT]] [[delay MS]] [[spin]] [[permission CMD]] [[ask QUESTION|A|B]]
             [[crash N]] [[kill]] [[limit S]] [[fail]] [[child]]
Commands:    /clear /compact /exit /help /model NAME /quit

Files are kept in DEMO_HOME, else in ~/.mam-demo.`;
