"""Workers: claim a job, train in a child process, publish the version, recover."""
