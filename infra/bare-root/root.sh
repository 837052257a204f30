# shellcheck shell=bash
# A minimal Debian 12 in a folder, with what this machine has for reaching its package indexes; sourced, never run.
# Whoever sources it has a `die` that ends the script with a message.
suite=bookworm

# Installs what a command of this machine comes from, if the command is missing.
needs() { # command
    command -v "$1" >/dev/null || apt-get install -qq -y --no-install-recommends "$1" >/dev/null ||
        { apt-get update -qq && apt-get install -qq -y --no-install-recommends "$1" >/dev/null; }
}

# Python, pip, git and make alone: no ensurepip, and a pip that is managed by the system.
bare_root() { # folder
    local mirror=${MIRROR:-$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
        awk -v suite=$suite '$1 == suite { print $2; exit }')}
    [[ -n $mirror ]] || die "apt knows no mirror of $suite here; name one: MIRROR=http://... $0"
    needs debootstrap
    debootstrap --variant=minbase --include=python3,python3-pip,git,make "$suite" "$1" "$mirror" >"$1.log" 2>&1 ||
        { tail -n 20 "$1.log" >&2; die "debootstrap failed; its log is $1.log"; }
    rm -f "$1.log"
}

# Certificates, pip's configuration, and every file that a variable of `settings` names.
reachable() { # folder
    local file
    cp /etc/resolv.conf /etc/hosts "$1/etc/"
    for file in /etc/pip.conf /etc/ssl/certs/ca-certificates.crt $(settings | cut -d= -f2-); do
        if [[ $file == /* && -f $file ]] || [[ $file == /* && -d $file && ! -e $1$file ]]; then
            cp -rL --parents --remove-destination "$file" "$1/"
        fi
    done
}

settings() {
    env | grep -iE '^(PIP_[A-Z_]+|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|(https?|no|all)_proxy)=' || true
}
