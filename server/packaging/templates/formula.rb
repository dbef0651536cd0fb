class @CLASS@ < Formula
  desc "@SUMMARY@"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

@SOURCES@

  def install
    bin.install "@PROGRAM@"
    generate_completions_from_executable(bin/"@PROGRAM@", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/@PROGRAM@ --version")
  end
end
